// swift-format-ignore-file
// swift-metrics, as far as FlowObservability uses it.
public protocol MetricsFactory: Sendable {}

public enum MetricsSystem {
  public static var factory: any MetricsFactory { fatalError() }
}

public final class Timer {
  public init(label: String, dimensions: [(String, String)], factory: any MetricsFactory) {}
  public func recordNanoseconds(_ duration: some BinaryInteger) {}
}

public final class Counter {
  public init(label: String, dimensions: [(String, String)], factory: any MetricsFactory) {}
  public func increment() {}
}
