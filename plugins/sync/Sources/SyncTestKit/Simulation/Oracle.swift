import SyncCore
import SyncPomodoro

/// Says what the outcome must be, from the list of every write that the server took and from who had seen what.
///
/// It shares no code with the merge: no version vector, no horizon, no join. Causality is told by the users' own acts, the
/// window and the table are written out as the product's rules state them: what sets a state competes with states; a count
/// or a field is merged by itself and says nothing about how old a state is.
public struct Oracle {
  /// A state that somebody set; devices are numbered from 0.
  public struct State: Sendable {
    /// The number of the device.
    public var device: Int
    /// The device's name.
    public var name: String
    /// The number of the write in which the server took it.
    public var number: Int64
    /// Its stamp.
    public var milliseconds: Int64
    /// Its stamp's counter.
    public var counter: UInt32
    /// What was set.
    public var state: TimerState
    /// The highest number of each device that its author had seen when he acted.
    public var past: [Int64]

    /// Makes a state.
    public init(
      device: Int, name: String, number: Int64, milliseconds: Int64, counter: UInt32, state: TimerState, past: [Int64]
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

  private struct Value {
    var milliseconds: Int64
    var counter: UInt32
    var name: String
    var bytes: [UInt8]

    func isBefore(_ other: Value) -> Bool {
      (milliseconds, counter, name) < (other.milliseconds, other.counter, other.name)
    }
  }

  /// The states that are still in question; those that can never count again are dropped as others come.
  private var states: [RecordKey: [State]] = [:]
  private var newest: [RecordKey: Int64] = [:]
  private var tallies: [RecordKey: Tally] = [:]
  private var values: [RecordKey: [String: Value]] = [:]

  /// An oracle that knows of nothing.
  public init() {}

  /// Takes notice of a state that the server took.
  public mutating func take(_ state: State, key: RecordKey) {
    newest[key] = max(newest[key] ?? 0, state.milliseconds)
    states[key, default: []].append(state)
  }

  /// Takes notice of a count that the server took.
  public mutating func take(_ tally: Tally, key: RecordKey) {
    let known = tallies[key] ?? Tally()
    if tally.epoch > known.epoch || tally.epoch == known.epoch && tally.count > known.count { tallies[key] = tally }
  }

  /// Takes notice of a field that the server took.
  public mutating func take(field name: String, _ bytes: [UInt8], stamp: Stamp, key: RecordKey) {
    let value = Value(
      milliseconds: stamp.milliseconds, counter: stamp.counter, name: stamp.device.name, bytes: bytes)
    if let known = values[key]?[name], !known.isBefore(value) { return }
    values[key, default: [:]][name] = value
  }

  /// The write whose state must count.
  public func winner(of key: RecordKey) -> Dot? {
    let all = states[key] ?? []
    guard let newest = newest[key] else { return nil }
    // Only what lies in the last five seconds can count, but anything may have been seen by what does.
    let recent = all.filter { newest - $0.milliseconds <= 5000 }
    let alive = recent.filter { one in
      !all.contains { $0.past[one.device] >= one.number && !($0.device == one.device && $0.number == one.number) }
        && !all.contains { $0.device == one.device && $0.number > one.number }
    }
    return alive.max { Self.loses($0, to: $1, at: newest) }.flatMap { best in
      DeviceID(best.name).map { Dot(device: $0, number: best.number) }
    }
  }

  private static func loses(_ one: State, to other: State, at newest: Int64) -> Bool {
    let order: [TimerKind] = [.idle, .snooze, .breakTime, .focus]
    let (mine, theirs) = (one.state, other.state)
    let (rank, otherRank) = (order.firstIndex(of: mine.kind) ?? 0, order.firstIndex(of: theirs.kind) ?? 0)
    if rank != otherRank { return rank < otherRank }
    if mine.kind == .focus || mine.kind == .breakTime {
      let left = mine.isPaused ? mine.remainingMilliseconds : mine.remainingMilliseconds + one.milliseconds - newest
      let right =
        theirs.isPaused ? theirs.remainingMilliseconds : theirs.remainingMilliseconds + other.milliseconds - newest
      if left != right { return left > right }
    }
    return (one.milliseconds, one.counter, one.name) < (other.milliseconds, other.counter, other.name)
  }

  /// The count that must stand.
  public func tally(of key: RecordKey) -> Tally { tallies[key] ?? Tally() }

  /// The value that each field must have.
  public func fields(of key: RecordKey) -> [String: [UInt8]] { (values[key] ?? [:]).mapValues(\.bytes) }
}
