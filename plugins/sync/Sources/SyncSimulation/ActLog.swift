import SyncCore

/// The acts of a simulation's users and what each author had seen. The oracle uses this record of causality.
struct ActLog {
  /// An act of one user at one instant.
  struct Act {
    var number: Int64
    var key: RecordKey
    /// The true time of the act, in milliseconds from the start.
    var milliseconds: Int64
    /// For each device, the highest act number that the author had seen in this record.
    var past: [Int64]
    var edit: RecordEdit
    /// The list elements that the edit inserted, moved or removed, each with its neighbors.
    var places: [ListPlace] = []
  }

  /// The acts of each device, in the order of their numbers.
  private(set) var acts: [[Act]]

  init(devices: Int) { acts = Array(repeating: [], count: devices) }

  mutating func note(_ act: Act, of device: Int) { acts[device].append(act) }

  /// Returns the act with this number. Each part of a transaction has its own number.
  func act(of device: Int, number: Int64) -> Act? { acts[device].last { $0.number == number } }
}

/// The position at which a user saw a value that was inserted, moved or removed in a list.
struct ListPlace {
  var field: String
  var value: [UInt8]
  /// True if the value was removed.
  var isRemoved = false
  /// True if the value was moved within the list.
  var isMoved = false
  /// The value directly before it, or nil at the beginning.
  var after: [UInt8]?
  /// The value directly after it, or nil at the end.
  var before: [UInt8]?
}
