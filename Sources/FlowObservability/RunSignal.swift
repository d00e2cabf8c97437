import FlowEngine

/// A kind of output to which events are converted, such as logs or spans. It receives the events one at a time.
protocol RunSignal: Sendable {
  mutating func receive(_ event: RunEvent)
}
