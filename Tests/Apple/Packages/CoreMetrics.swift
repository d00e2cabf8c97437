// swift-format-ignore-file
// The part of swift-metrics that FlowObservability uses.
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
