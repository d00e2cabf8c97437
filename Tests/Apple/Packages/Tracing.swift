// swift-format-ignore-file
// The parts of swift-distributed-tracing and its ServiceContext that FlowObservability uses.
public struct ServiceContext: Sendable {
  public static var current: ServiceContext? { nil }
  public static var topLevel: ServiceContext { ServiceContext() }
}

public protocol TracerInstant: Comparable, Hashable, Sendable {
  var nanosecondsSinceEpoch: UInt64 { get }
}

public struct DefaultTracerClock {
  public struct Timestamp: TracerInstant {
    public let nanosecondsSinceEpoch: UInt64
    public static func < (left: Self, right: Self) -> Bool { left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch }
  }
  public static var now: Timestamp { Timestamp(nanosecondsSinceEpoch: 0) }
}

public protocol SpanAttributeConvertible: Sendable {}
extension String: SpanAttributeConvertible {}
extension Int: SpanAttributeConvertible {}

public enum SpanAttribute: ExpressibleByStringLiteral, Sendable {
  case int64(Int64)
  case string(String)
  public init(stringLiteral value: String) { self = .string(value) }
}

public struct SpanAttributes: ExpressibleByDictionaryLiteral, Sendable {
  public init(dictionaryLiteral elements: (String, SpanAttribute)...) {}
  public subscript(name: String) -> (any SpanAttributeConvertible)? {
    get { nil }
    set {}
  }
}

public struct SpanEvent: Sendable {
  public init(name: String, at instant: some TracerInstant, attributes: SpanAttributes = [:]) {}
}

public struct SpanStatus: Sendable {
  public enum Code: Sendable {
    case ok, error
  }
  public init(code: Code, message: String? = nil) {}
}

public protocol Span: Sendable {
  var context: ServiceContext { get }
  var attributes: SpanAttributes { get nonmutating set }
  func addEvent(_ event: SpanEvent)
  func setStatus(_ status: SpanStatus)
  func end(at instant: @autoclosure () -> some TracerInstant)
}

public protocol Tracer: Sendable {
  func startSpan(_ name: String, context: @autoclosure () -> ServiceContext, at instant: @autoclosure () -> some TracerInstant) -> any Span
}

public enum InstrumentationSystem {
  public static var tracer: any Tracer { fatalError() }
}
