@_exported import FlowKit
@_exported import FlowSyntax

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The error for a workflow file that cannot be run, with all its problems.
public struct WorkflowError: Error, Sendable, CustomStringConvertible {
  /// Each problem with its location, as printed by `flowrun validate`.
  public let description: String
}

extension Engine {
  /// Reads and checks a workflow file. Throws a ``WorkflowError`` that lists all problems.
  public func load(_ path: String) throws -> WorkflowGraph {
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let result = WorkflowLoader(catalog: registry) { try? [UInt8](Data(contentsOf: URL(fileURLWithPath: $0))) }
      .load(bytes: bytes, file: path)
    guard let graph = result.graph else { throw WorkflowError(description: result.rendered()) }
    return graph
  }
}
