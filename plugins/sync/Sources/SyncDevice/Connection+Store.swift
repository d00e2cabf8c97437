import FlowModel
import FlowPluginKit
import SyncCore
import SyncEngine

/// What a device does when another store answers than the one that its data belongs to.
package enum OnOtherStore: String, FieldWord {
  case fail
  case keepApart = "keep-apart"
  case merge
}

extension Connection {
  /// What is known of the store of this connection.
  package enum Meeting: Sendable {
    /// It may be used: it is the store of this device's data, or that data has been used at this place before.
    case own
    /// It is another one.
    case other(StoreIdentity)
    /// It has not answered, and this device's data has not been used at this place before.
    case unknown
  }

  /// Compares the store with that of the device's data. Waits for an answer only at a place where that data has not been used.
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
    // A file of an earlier version says nothing of places; its data is compared before it is sent.
    let isOld = replica.binding == StoreBinding()
    return isKnown || isOld || now.isStoreConfirmed ? .own : .unknown
  }

  /// Why the store cannot be used, with the ways out.
  package static func failure(_ meeting: Meeting, file: String, home: Home) -> ActionError {
    let ways =
      "'on-other-store: keep-apart' opens a file of its own for each store, 'on-other-store: merge' puts the data of both into both"
    let problem =
      if case .other(let store) = meeting {
        "this device's data belongs to another store than '\(home.address)' (\(store)); nothing was sent to it and '\(file)' is unchanged"
      } else {
        "this device's data has not been used with '\(home.address)', which does not answer, so it may belong to another store"
      }
    return ActionError(Failure.otherStore.code, "\(problem); \(ways)")
  }
}
