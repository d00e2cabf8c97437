// swift-format-ignore-file
// The part of swift-log that FlowObservability uses.
public struct Logger: Sendable {
  public enum Level: String, Sendable {
    case trace, debug, info, notice, warning, error, critical
  }

  public enum MetadataValue: ExpressibleByStringLiteral, Sendable {
    case string(String)
    case stringConvertible(any CustomStringConvertible & Sendable)
    public init(stringLiteral value: String) { self = .string(value) }
  }

  public typealias Metadata = [String: MetadataValue]

  public struct Message: ExpressibleByStringInterpolation, Sendable {
    public init(stringLiteral value: String) {}
  }

  public init(label: String) {}
  public subscript(metadataKey key: String) -> MetadataValue? {
    get { nil }
    set {}
  }
  public func log(level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func debug(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
  public func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
}
