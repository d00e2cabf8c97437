@_exported import FlowKit
@_exported import FlowSyntax

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The error for a workflow file that cannot be run. It lists all problems with the file.
public struct WorkflowError: Error, Sendable, CustomStringConvertible {
  /// The problems with their locations, in the format of `flowrun validate`.
  public let description: String
}

extension Engine {
  /// Reads and checks a workflow file. Throws a ``WorkflowError`` if the workflow is invalid, and an error of
  /// Foundation if the file cannot be read.
  public func load(_ path: String) throws -> WorkflowGraph {
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let result = WorkflowLoader(catalog: registry) { try? [UInt8](Data(contentsOf: URL(fileURLWithPath: $0))) }
      .load(bytes: bytes, file: path)
    guard let graph = result.graph else { throw WorkflowError(description: result.rendered()) }
    return graph
  }
}
