import SyncCore

/// The state of a Pomodoro timer. It is merged as a whole (F17, M7).
public struct TimerState: Hashable, Sendable {
  /// Idle, a postponed break, a break or a focus period.
  public var kind: TimerKind
  /// The time left when the user acted, in milliseconds.
  public var remainingMilliseconds: Int64
  /// True if the timer is paused, so that its time does not decrease.
  package var isPaused: Bool
  /// The members of the state's JSON object that are unknown to this version, as JSON, or empty. A record stores them
  /// in the field `other-data`.
  package var extra: [UInt8]

  /// The maximum time of a timer in milliseconds: 24 h.
  package static let longestMilliseconds: Int64 = 86_400_000

  /// Creates a state. `extra` contains the members of its JSON object that are unknown to this version.
  public init(kind: TimerKind, remainingMilliseconds: Int64 = 0, isPaused: Bool = false, extra: [UInt8] = []) {
    self.kind = kind
    self.remainingMilliseconds = remainingMilliseconds
    self.isPaused = isPaused
    self.extra = extra
  }

  /// Returns the time left at `now` for a state that was set at `set`, in milliseconds (F16). It is negative after the
  /// end. The time of a paused or stopped timer does not decrease.
  package func remaining(setAtMilliseconds set: Int64, atMilliseconds now: Int64) -> Int64 {
    kind.runsDown && !isPaused ? remainingMilliseconds.subtracting(now - set) : remainingMilliseconds
  }

  /// The state as values of a record, by the field names of the timer's schema.
  package var recordState: RecordState {
    var values = [
      "state": Scalar.text(kind.rawValue).bytes, "remaining": Scalar.integer(max(0, remainingMilliseconds)).bytes,
      "is-paused": Scalar.boolean(isPaused).bytes,
    ]
    if !extra.isEmpty { values["other-data"] = Scalar.text(String(decoding: extra, as: UTF8.self)).bytes }
    return RecordState(values: values)
  }

  /// Reads the state of a record. Missing values default to those of an idle timer. Returns nil if the kind is unknown
  /// to this version.
  package init?(_ state: RecordState) {
    self.init(kind: .idle)
    if case .text(let text)? = state.value("state") {
      guard let kind = TimerKind(rawValue: text) else { return nil }
      self.kind = kind
    }
    if case .integer(let milliseconds)? = state.value("remaining") { remainingMilliseconds = max(0, milliseconds) }
    isPaused = state.value("is-paused") == .boolean(true)
    if case .text(let text)? = state.value("other-data") { extra = Array(text.utf8) }
  }

  /// Reads the state from an entry's payload. Returns nil if it is not the state of a timer.
  package init?(payload: [UInt8]) {
    guard let state = RecordState(payload: payload) else { return nil }
    self.init(state)
  }

  /// Returns an edit that sets the timer's state and increases the number of completed pomodoros.
  public func edit(completing more: Int64 = 0) -> RecordEdit {
    var edit = more == 0 ? RecordEdit() : Pomodoro.completing(more)
    for (name, value) in recordState.values { edit.fields[name] = .state(value) }
    // The state is set as a whole, so other data of the previous state must be removed.
    if extra.isEmpty { edit.fields["other-data"] = .state(Scalar.null.bytes) }
    return edit
  }
}
