import SyncCore

/// What the users of a simulation did, and what each had seen then: the oracle's own idea of causality.
struct ActLog {
  /// What one user did at one instant.
  struct Act {
    var number: Int64
    var key: RecordKey
    /// True time, in milliseconds from the start.
    var milliseconds: Int64
    /// The highest number of each device that the author had seen in this record.
    var past: [Int64]
    /// What was done.
    var edit: RecordEdit
    /// What was around the elements that were put into lists.
    var places: [ListPlace] = []
  }

  /// Each device's acts, in the order of their numbers.
  private(set) var acts: [[Act]]

  init(devices: Int) { acts = Array(repeating: [], count: devices) }

  mutating func note(_ act: Act, of device: Int) { acts[device].append(act) }

  /// The act with this number; several parts of a transaction have numbers of their own.
  func act(of device: Int, number: Int64) -> Act? { acts[device].last { $0.number == number } }
}

/// Where a user put a value into a list, as he saw it, or which one he took away.
struct ListPlace {
  var field: String
  var value: [UInt8]
  /// Whether it was taken away.
  var isRemoved = false
  /// True if it was in the list already and was moved.
  var isMoved = false
  /// The value right before it; nil at the begin.
  var after: [UInt8]?
  /// The value right behind it; nil at the end.
  var before: [UInt8]?
}
