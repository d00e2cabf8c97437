import SyncCore

/// A Pomodoro timer's state as one unit: it is merged whole or not at all (F17, M7).
public struct TimerState: Hashable, Sendable {
  /// What the timer does.
  public var kind: TimerKind
  /// How much was left when the user acted, in milliseconds.
  public var remainingMilliseconds: Int64
  /// A paused timer does not run down.
  public var isPaused: Bool
  /// Further members of the state's JSON that this version does not know, as one JSON object's bytes; empty for none.
  public var extra: [UInt8]

  /// The longest period that a timer takes: 24 h.
  public static let longestMilliseconds: Int64 = 86_400_000

  /// Makes a state.
  public init(kind: TimerKind, remainingMilliseconds: Int64 = 0, isPaused: Bool = false, extra: [UInt8] = []) {
    self.kind = kind
    self.remainingMilliseconds = remainingMilliseconds
    self.isPaused = isPaused
    self.extra = extra
  }

  /// What is left at an instant of a state that was set at another (F16): a paused or standing timer does not age.
  public func remaining(setAtMilliseconds set: Int64, atMilliseconds now: Int64) -> Int64 {
    kind.runsDown && !isPaused ? remainingMilliseconds - (now - set) : remainingMilliseconds
  }

  /// The state as an entry's payload: kind and pause in one byte, what is left, then the unknown members.
  public var payload: [UInt8] {
    var packer = Packer()
    packer.byte(UInt8(kind.priority) | (isPaused ? 0x80 : 0))
    packer.unsigned(UInt64(max(0, remainingMilliseconds)))
    return packer.bytes + extra
  }

  /// Reads an entry's payload; throws a `PackingError` when it is none of a timer's.
  public init(payload: [UInt8]) throws(PackingError) {
    var reader = Unpacker(payload)
    let first = try reader.byte("the timer's kind")
    guard let kind = TimerKind.allCases.first(where: { $0.priority == Int(first & 0x7f) }) else {
      throw .malformed(at: 0, reading: "the timer's kind", "is \(first & 0x7f), allowed are 0 to 3")
    }
    let remaining = try reader.number("the timer's remaining time", in: 0...Self.longestMilliseconds)
    self.init(
      kind: kind, remainingMilliseconds: remaining, isPaused: first & 0x80 != 0,
      extra: Array(payload[reader.offset...]))
  }
}
