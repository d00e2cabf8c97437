import SyncCore

/// The actions of a simulation's users, and the actions that each author had seen. The oracle derives causality from
/// them.
struct ActLog {
  /// An action of a user on one record.
  struct Act {
    var number: Int64
    var key: RecordKey
    /// The true time of the action, in milliseconds since the start.
    var milliseconds: Int64
    /// For each device, the highest number of an action that the author had seen in this record.
    var past: [Int64]
    var edit: RecordEdit
    /// The list elements that the edit inserted, moved or removed, each with its neighbors.
    var places: [ListPlace] = []
  }

  /// The actions of each device, in the order of their numbers.
  private(set) var acts: [[Act]]

  init(devices: Int) { acts = Array(repeating: [], count: devices) }

  mutating func note(_ act: Act, of device: Int) { acts[device].append(act) }

  /// Returns the action with this number. Each part of a transaction has a separate number.
  func act(of device: Int, number: Int64) -> Act? { acts[device].last { $0.number == number } }
}

/// A position in a list where a user inserted or removed an element, or to which a user moved an element.
struct ListPlace {
  var field: String
  var value: [UInt8]
  /// True if the value was removed.
  var isRemoved = false
  /// True if the value was moved within the list.
  var isMoved = false
  /// The value directly before the element, or nil at the beginning.
  var after: [UInt8]?
  /// The value directly after the element, or nil at the end.
  var before: [UInt8]?
}
