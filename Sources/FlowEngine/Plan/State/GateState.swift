/// The launch gate as a value of eight bits: the signals it has received, and its outcome.
///
/// Two sides advance it: the plan (all blocking steps are satisfied, or one never will be) and the clock (minimum and
/// maximum). The state is one small number, so both can update it with a compare-and-swap and neither waits for the
/// other. The virtual clock uses the same value without one.
package struct GateState: RawRepresentable, Sendable, Hashable {
  package var rawValue: UInt8

  private static let minimumReached: UInt8 = 1
  private static let decided: UInt8 = 2
  private static let decidedFailed: UInt8 = 4
  private static let opened: UInt8 = 8

  /// Creates a gate from its bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A gate that has received no signal.
  package static let closed = GateState(rawValue: 0)

  /// The signals that advance the gate.
  package enum Signal: Sendable {
    case minimumReached
    case maximumReached
    case decided(GateDecision)
    /// The run has taken longer than its timeout.
    case runTimedOut
    case cancelled
  }

  /// The outcome of the gate, or nil while it is closed.
  package var outcome: GateOutcome? {
    rawValue & Self.opened == 0 ? nil : GateOutcome(rawValue: rawValue >> 4)
  }

  /// Returns the gate after `signal`. An open gate does not change.
  package func after(_ signal: Signal) -> GateState {
    guard outcome == nil else { return self }
    switch signal {
    case .minimumReached:
      let reached = GateState(rawValue: rawValue | Self.minimumReached)
      return reached.decision.map { reached.open($0 == .ready ? .ready : .failed) } ?? reached
    case .decided(let decision):
      guard self.decision == nil else { return self }
      if decision == .tooLate { return open(.timedOut) }
      if rawValue & Self.minimumReached != 0 { return open(decision == .ready ? .ready : .failed) }
      return GateState(rawValue: rawValue | Self.decided | (decision == .failed ? Self.decidedFailed : 0))
    case .maximumReached:
      // Minimum and maximum may be the same instant: an earlier decision counts.
      return open(decision.map { $0 == .ready ? .ready : .failed } ?? .timedOut)
    case .runTimedOut:
      return open(.failed)
    case .cancelled:
      return open(.cancelled)
    }
  }

  private var decision: GateDecision? {
    guard rawValue & Self.decided != 0 else { return nil }
    return rawValue & Self.decidedFailed != 0 ? .failed : .ready
  }

  private func open(_ outcome: GateOutcome) -> GateState {
    GateState(rawValue: rawValue | Self.opened | outcome.rawValue << 4)
  }
}
