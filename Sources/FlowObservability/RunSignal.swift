import FlowEngine

/// A kind of output into which events are converted. It is called for one event after another.
protocol RunSignal: Sendable {
  mutating func receive(_ event: RunEvent)
}
