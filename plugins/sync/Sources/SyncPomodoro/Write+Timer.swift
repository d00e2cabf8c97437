import SyncCore

extension Write {
  /// Creates a write of the timer's record with a new state, a count in an epoch, or both. For tests; devices use
  /// `TimerState.edit`.
  package init(
    timer dot: Dot, milliseconds: Int64, counter: UInt32 = 0, seen: Stamp? = nil,
    context: VersionVector = VersionVector(), state: TimerState?, completed: Int64? = nil, epoch: Int64 = 0
  ) {
    let count = completed.map { EpochValue.bytes(Scalar.integer($0).bytes, epoch: epoch) }
    self.init(
      dot: dot, milliseconds: milliseconds, counter: counter, seen: seen, context: context,
      payload: state?.recordState.payload,
      record: RecordWrite(changes: count.map { [.init(name: Pomodoro.completed, kind: .largest($0))] } ?? []))
  }
}
