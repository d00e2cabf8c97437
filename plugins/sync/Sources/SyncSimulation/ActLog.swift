import SyncCore

/// The acts of a simulation's users and what each had seen: the oracle's own record of causality.
struct ActLog {
  /// An act of one user at one instant.
  struct Act {
    var number: Int64
    var key: RecordKey
    /// The true time, in milliseconds from the start.
    var milliseconds: Int64
    /// The highest number of each device that the author had seen in this record.
    var past: [Int64]
    /// The edit.
    var edit: RecordEdit
    /// The list elements that the edit inserted, moved or removed, with their neighbors.
    var places: [ListPlace] = []
  }

  /// The acts of each device, in the order of their numbers.
  private(set) var acts: [[Act]]

  init(devices: Int) { acts = Array(repeating: [], count: devices) }

  mutating func note(_ act: Act, of device: Int) { acts[device].append(act) }

  /// Returns the act with this number. The parts of a transaction have numbers of their own.
  func act(of device: Int, number: Int64) -> Act? { acts[device].last { $0.number == number } }
}

/// The place at which a user saw a value that was inserted, moved or removed in a list.
struct ListPlace {
  var field: String
  var value: [UInt8]
  /// True if it was removed.
  var isRemoved = false
  /// True if it was moved within the list.
  var isMoved = false
  /// The value right before it, or nil at the beginning.
  var after: [UInt8]?
  /// The value right after it, or nil at the end.
  var before: [UInt8]?
}
