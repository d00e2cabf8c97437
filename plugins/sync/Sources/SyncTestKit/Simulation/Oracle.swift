import SyncCore
import SyncPomodoro

/// Says what the outcome must be, from the list of every write that the server took and from who had seen what.
///
/// It shares no code with the merge: no version vector, no horizon, no join. Causality is a set of writes, the window and
/// the table are written out as the product's rules state them.
struct Oracle {
  struct Known {
    var dot: Dot
    var milliseconds: Int64
    var counter: UInt32
    var state: TimerState?
    var tally: Tally
    var fields: [Write.FieldChange]
    var past: Set<Dot>
  }

  private(set) var writes: [RecordKey: [Known]] = [:]

  mutating func take(_ write: Write, stamp: Stamp, key: RecordKey, past: Set<Dot>) {
    writes[key, default: []].append(
      Known(
        dot: write.dot, milliseconds: stamp.milliseconds, counter: stamp.counter,
        state: write.payload.flatMap { try? TimerState(payload: $0) }, tally: write.tally, fields: write.fields,
        past: past))
  }

  /// The write whose state must count.
  func winner(of key: RecordKey) -> Dot? {
    let all = writes[key] ?? []
    guard let newest = all.map(\.milliseconds).max() else { return nil }
    let states = all.filter { $0.state != nil }
    let alive = states.filter { one in
      !states.contains { $0.past.contains(one.dot) }
        && !states.contains { $0.dot.device == one.dot.device && $0.dot.number > one.dot.number }
        && newest - one.milliseconds <= 5000
    }
    return alive.max { Self.loses($0, to: $1, at: newest) }?.dot
  }

  private static func loses(_ one: Known, to other: Known, at newest: Int64) -> Bool {
    let order: [TimerKind] = [.idle, .snooze, .breakTime, .focus]
    guard let mine = one.state, let theirs = other.state else { return one.state == nil }
    let (rank, otherRank) = (order.firstIndex(of: mine.kind) ?? 0, order.firstIndex(of: theirs.kind) ?? 0)
    if rank != otherRank { return rank < otherRank }
    if mine.kind == .focus || mine.kind == .breakTime {
      let left = mine.isPaused ? mine.remainingMilliseconds : mine.remainingMilliseconds + one.milliseconds - newest
      let right =
        theirs.isPaused ? theirs.remainingMilliseconds : theirs.remainingMilliseconds + other.milliseconds - newest
      if left != right { return left > right }
    }
    return (one.milliseconds, one.counter, one.dot.device.name) < (
      other.milliseconds, other.counter, other.dot.device.name
    )
  }

  /// The count that must stand.
  func tally(of key: RecordKey) -> Tally {
    let all = (writes[key] ?? []).map(\.tally)
    let epoch = all.map(\.epoch).max() ?? 0
    return Tally(epoch: epoch, count: all.filter { $0.epoch == epoch }.map(\.count).max() ?? 0)
  }

  /// The value that each field must have.
  func fields(of key: RecordKey) -> [String: [UInt8]] {
    var result: [String: (Stamp, [UInt8])] = [:]
    for write in writes[key] ?? [] {
      let stamp = Stamp(milliseconds: write.milliseconds, counter: write.counter, device: write.dot.device)
      for change in write.fields where result[change.name].map({ $0.0 < stamp }) ?? true {
        result[change.name] = (stamp, change.value)
      }
    }
    return result.mapValues(\.1)
  }
}
