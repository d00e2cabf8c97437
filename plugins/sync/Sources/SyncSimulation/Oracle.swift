import SyncCore
import SyncRecords

/// Computes the expected result from all accepted writes and from the earlier writes that each author had seen.
///
/// It shares no code with the merge: it has no version vectors, horizons or joins. Causality follows from the users'
/// own actions; the window and the order of states follow from the schema's rules. Only states compete with each other,
/// and a field that is merged separately does not affect the age of a state.
package struct Oracle {
  /// A written state. Devices are numbered from 0.
  package struct State: Sendable {
    /// The number of the device.
    public var device: Int
    /// The device's name.
    public var name: String
    /// The number of the write among those of its device.
    public var number: Int64
    /// The time of the write's stamp, in milliseconds since 1970.
    public var milliseconds: Int64
    /// The counter of the write's stamp.
    public var counter: UInt32
    /// The values of the state.
    public var state: RecordState
    /// For each device, the highest write number that the author had seen.
    package var past: [Int64]

    /// Creates the state of one accepted write.
    public init(
      device: Int, name: String, number: Int64, milliseconds: Int64, counter: UInt32, state: RecordState,
      past: [Int64]
    ) {
      self.device = device
      self.name = name
      self.number = number
      self.milliseconds = milliseconds
      self.counter = counter
      self.state = state
      self.past = past
    }
  }

  let schema: RecordSchema
  /// The accepted actions on each record.
  var acts: [RecordKey: [RecordAct]] = [:]

  package init(_ schema: RecordSchema) { self.schema = schema }

  // MARK: States

  /// Returns the state that must win, or nil if no state was written.
  package static func winner(of all: [State], by rule: DecideRule) -> State? {
    guard let newest = all.map(\.milliseconds).max() else { return nil }
    // Only states within the window can win, but states outside the window may also replace others.
    let recent = all.filter { state in rule.window.map { newest - state.milliseconds <= $0 } ?? true }
    let alive = recent.filter { one in
      !all.contains { $0.past[one.device] >= one.number && !($0.device == one.device && $0.number == one.number) }
        && !all.contains { $0.device == one.device && $0.number > one.number }
    }
    return alive.max { loses($0, to: $1, at: newest, by: rule) }
  }

  private static func loses(_ one: State, to other: State, at newest: Int64, by rule: DecideRule) -> Bool {
    if let prefer = rule.prefer {
      let (rank, otherRank) = (rank(of: one, prefer), rank(of: other, prefer))
      if rank != otherRank { return rank > otherRank }
    }
    if let smallest = rule.smallest {
      let (left, right) = (size(of: one, smallest, at: newest), size(of: other, smallest, at: newest))
      if left != right { return left > right }
    }
    return (one.milliseconds, one.counter, one.name) < (other.milliseconds, other.counter, other.name)
  }

  private static func rank(of one: State, _ prefer: DecideRule.Preference) -> Int {
    guard case .text(let text)? = one.state.value(prefer.field) else { return prefer.order.count }
    return prefer.order.firstIndex(of: text) ?? prefer.order.count
  }

  private static func size(of one: State, _ smallest: DecideRule.Smallest, at newest: Int64) -> Int64 {
    if let when = smallest.when, rank(of: one, when) == when.order.count { return 0 }
    guard case .integer(let value)? = one.state.value(smallest.field) else { return .max }
    let stands = smallest.unless.map { one.state.value($0) == .boolean(true) } ?? false
    return smallest.ages && !stands ? value - (newest - one.milliseconds) : value
  }
}
