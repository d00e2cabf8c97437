import FlowEngine

/// One form into which events are turned. Called for one event after the other.
protocol RunSignal: Sendable {
  mutating func receive(_ event: RunEvent)
}
