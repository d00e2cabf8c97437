/// The state of the launch gate in one byte: the signals it has received, and its outcome.
///
/// Both the plan (when all blocking steps are satisfied, or one cannot be) and the clock (at the minimum and the
/// maximum) update it. Because the state is one small number, they use a compare-and-swap and never wait for each
/// other. On the virtual clock, where everything runs on one thread, no compare-and-swap is needed.
package struct GateState: RawRepresentable, Sendable, Hashable {
  package var rawValue: UInt8

  private static let minimumReached: UInt8 = 1
  private static let decided: UInt8 = 2
  private static let decidedFailed: UInt8 = 4
  private static let opened: UInt8 = 8

  /// Creates a state from its raw bits.
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

  /// The outcome, or nil while the gate is closed.
  package var outcome: GateOutcome? {
    rawValue & Self.opened == 0 ? nil : GateOutcome(rawValue: rawValue >> 4)
  }

  /// Returns the state after `signal`. An open gate stays unchanged.
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
      // If minimum and maximum are the same instant, an earlier decision still counts.
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
