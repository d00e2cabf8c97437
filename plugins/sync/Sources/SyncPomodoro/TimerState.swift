import SyncCore

/// A Pomodoro timer's state as one unit: it is merged whole or not at all (F17, M7).
public struct TimerState: Hashable, Sendable {
  /// What the timer does.
  public var kind: TimerKind
  /// How much was left when the user acted, in milliseconds.
  public var remainingMilliseconds: Int64
  /// A paused timer does not run down.
  public var isPaused: Bool
  /// Further members of the state's JSON that this version does not know, as one JSON object's bytes; empty for none. A
  /// record holds them as a text, `other-data`.
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

  /// The state as that of a record, under the names of the timer's schema.
  public var recordState: RecordState {
    var values = [
      "state": Scalar.text(kind.rawValue).bytes, "remaining": Scalar.integer(max(0, remainingMilliseconds)).bytes,
      "is-paused": Scalar.boolean(isPaused).bytes,
    ]
    if !extra.isEmpty { values["other-data"] = Scalar.text(String(decoding: extra, as: UTF8.self)).bytes }
    return RecordState(values: values)
  }

  /// The state of a record; what it lacks is as in an idle timer. Nil for a kind that this version does not know.
  public init?(_ state: RecordState) {
    self.init(kind: .idle)
    if case .text(let text)? = state.value("state") {
      guard let kind = TimerKind(rawValue: text) else { return nil }
      self.kind = kind
    }
    if case .integer(let milliseconds)? = state.value("remaining") { remainingMilliseconds = max(0, milliseconds) }
    isPaused = state.value("is-paused") == .boolean(true)
    if case .text(let text)? = state.value("other-data") { extra = Array(text.utf8) }
  }

  /// The state in an entry's payload; nil when it is none of a timer's.
  public init?(payload: [UInt8]) {
    guard let state = RecordState(payload: payload) else { return nil }
    self.init(state)
  }

  /// What sets the timer, and counts completed pomodoros with it.
  public func edit(completing more: Int64 = 0) -> RecordEdit {
    var edit = more == 0 ? RecordEdit() : Pomodoro.completing(more)
    for (name, value) in recordState.values { edit.fields[name] = .state(value) }
    // A state is set whole: what the last one held besides is gone.
    if extra.isEmpty { edit.fields["other-data"] = .state(Scalar.null.bytes) }
    return edit
  }
}
