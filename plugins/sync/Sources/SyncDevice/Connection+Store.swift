import FlowModel
import FlowPluginKit
import SyncCore
import SyncEngine

/// The reaction if the store that responds is not the store of the device's data.
package enum OnOtherStore: String, FieldWord {
  case fail
  case keepApart = "keep-apart"
  case merge

  /// The ways to use another store, as the end of a message.
  var remedy: String {
    let merge = "'on-other-store: merge' puts the data of both into both"
    return switch self {
    case .keepApart: "connect again to use the file of that store; \(merge)"
    case .fail, .merge: "'on-other-store: keep-apart' opens a file of its own for each store, \(merge)"
    }
  }
}

extension Connection {
  /// The result of comparing the store at a location with the store of the device's data.
  package enum Meeting: Sendable {
    /// The store may be used: the device has no data, its data belongs to the store or has already been used at this
    /// location, or the data of both is merged.
    case own
    /// Another store responded.
    case other(StoreIdentity)
    /// No store has responded, and the device's data has not been used at this location.
    case unknown
  }

  /// Compares the store at the location with the store of the device's data. Waits for a response if the data has not
  /// been used at this location. With `keep-apart`, waits whenever there is data, because another person may now use
  /// the location. A failed request ends the wait, so that a device without a network does not wait.
  package func meet(waiting limit: Duration) async -> Meeting {
    let machine = await session.machine
    let (place, replica) = (machine.settings.place, machine.replica)
    let isKnown = machine.settings.mergesOtherStores || replica.holdsNothing || replica.binding.belongs(at: place)
    if !isKnown || onOtherStore == .keepApart && !replica.holdsNothing {
      _ = await session.wait(milliseconds: limit.milliseconds) {
        $0.isStoreConfirmed || $0.replica.pause != nil || $0.pausedBecause != nil
      }
    }
    let now = await session.machine
    if case .otherStore(let store) = now.pausedBecause { return .other(store) }
    // Files of earlier versions do not record locations. Their data is compared with the store before it is sent.
    let isOld = replica.binding == StoreBinding()
    return isKnown || isOld || now.isStoreConfirmed ? .own : .unknown
  }

  /// Returns the error for a store that cannot be used, with the ways to resolve it.
  package func failure(_ meeting: Meeting, home: Home) -> ActionError {
    let problem =
      if case .other(let store) = meeting {
        "this device's data belongs to another store than '\(home.address)' (\(store)); nothing was sent to it and '\(file)' is unchanged"
      } else {
        "this device's data has not been used with '\(home.address)', which does not answer, so it may belong to another store"
      }
    return ActionError(Failure.otherStore.code, "\(problem); \(onOtherStore.remedy)")
  }
}
