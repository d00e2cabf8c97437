// swift-format-ignore-file
// The signposts of os that the modules for apps use.
public struct OSSignpostID: Sendable {}

public struct OSSignpostIntervalState: Sendable {}

public struct SignpostMetadata: ExpressibleByStringInterpolation, Sendable {
  public init(stringLiteral value: String) {}
}

public struct OSSignposter: Sendable {
  public init(subsystem: String, category: String) {}
  public func makeSignpostID() -> OSSignpostID { OSSignpostID() }
  public func beginInterval(_ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata) -> OSSignpostIntervalState {
    OSSignpostIntervalState()
  }
  public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {}
  public func emitEvent(_ name: StaticString, _ message: SignpostMetadata) {}
}
