import FlowModel
import FlowPluginKit
import SyncCore
import SyncEngine

/// The reaction of a device whose data belongs to another store.
package enum OnOtherStore: String, FieldWord {
  case fail
  case keepApart = "keep-apart"
  case merge
}

extension Connection {
  /// The result of comparing the server's store with the store of this device's data.
  package enum Meeting: Sendable {
    /// The store may be used: this device's data belongs to it, or has already been used at this location.
    case own
    /// Another store responded.
    case other(StoreIdentity)
    /// The store has not responded, and this device's data has not been used at this location.
    case unknown
  }

  /// Compares the server's store with the store of the device's data. Waits for a response only if the data has not
  /// been used at this location.
  package func meet(waiting limit: Duration) async -> Meeting {
    let machine = await session.machine
    let (place, replica) = (machine.settings.place, machine.replica)
    let isKnown = machine.settings.mergesOtherStores || replica.holdsNothing || replica.binding.belongs(at: place)
    if !isKnown {
      _ = await session.wait(milliseconds: limit.milliseconds) {
        $0.isStoreConfirmed || $0.replica.pause != nil || $0.pausedBecause != nil
      }
    }
    let now = await session.machine
    if case .otherStore(let store) = now.pausedBecause { return .other(store) }
    // Files of earlier versions record no locations. Their data is compared before it is sent.
    let isOld = replica.binding == StoreBinding()
    return isKnown || isOld || now.isStoreConfirmed ? .own : .unknown
  }

  /// The error for a store that cannot be used, with the options to resolve it.
  package static func failure(_ meeting: Meeting, file: String, home: Home) -> ActionError {
    let problem =
      if case .other(let store) = meeting {
        "this device's data belongs to another store than '\(home.address)' (\(store)); nothing was sent to it and '\(file)' is unchanged"
      } else {
        "this device's data has not been used with '\(home.address)', which does not answer, so it may belong to another store"
      }
    return ActionError(Failure.otherStore.code, "\(problem); \(Failure.remediesOfOtherStore)")
  }
}
