import SyncCore

/// What the users of a simulation did, and what each had seen then: the oracle's own idea of causality.
struct ActLog {
  /// What one user did at one instant.
  struct Act {
    var number: Int64
    var key: RecordKey
    /// True time, in milliseconds from the start.
    var milliseconds: Int64
    var setsState: Bool
    var fields: [String]
    /// The highest number of each device that the author had seen in this record.
    var past: [Int64]
  }

  /// Each device's acts, in the order of their numbers.
  private(set) var acts: [[Act]]

  init(devices: Int) { acts = Array(repeating: [], count: devices) }

  mutating func note(_ act: Act, of device: Int) { acts[device].append(act) }

  /// The act that set what a write carries: the last one up to the write's number that fits.
  func last(of device: Int, upTo number: Int64, where fits: (Act) -> Bool) -> Act? {
    // Numbers rise with the acts; what is looked for lies close to the end.
    acts[device].last { $0.number <= number && fits($0) }
  }
}
