import FlowDiagnostics
import FlowModel

/// A checked workflow as `flowrun compile` writes it, for programs that run it without reading YAML.
///
/// ```swift
/// let graph = try WorkflowGraph(compiled: bytes)
/// ```
/// Equal workflows give equal bytes. Paths in it are relative to the folder of the file, as in YAML.
public struct CompiledWorkflow: Sendable {
  /// Where a step was written.
  public struct Location: Sendable, Hashable {
    /// The file, from the folder of the workflow's.
    public var file: String
    /// The line and column of the step's id.
    public var position: TextLocation

    /// A line and column of a file.
    public init(file: String, position: TextLocation) {
      self.file = file
      self.position = position
    }
  }

  /// The workflow, with everything that it includes.
  public let graph: WorkflowGraph
  /// What the run returns, with the types that are known.
  public let outputs: [FieldDeclaration]
  /// Where each step was written, in the order of the steps.
  public let locations: [Location]

  /// A workflow with the declarations of its outputs and a location for each step.
  public init(_ graph: WorkflowGraph, outputs: [FieldDeclaration], locations: [Location]) {
    self.graph = graph
    self.outputs = outputs
    self.locations = locations
  }

  /// Whether bytes begin as a compiled workflow does.
  public static func isCompiled(_ bytes: [UInt8]) -> Bool { bytes.starts(with: CompiledFormat.mark) }

  /// Reads a compiled workflow. Damaged bytes, or those of another version of the format, are an error.
  public init(_ bytes: [UInt8]) throws(CompiledWorkflowError) {
    var reader = try CompiledReader(bytes)
    graph = try WorkflowGraph(ordering: Workflow(from: &reader))
    outputs = try [FieldDeclaration](from: &reader)
    var locations: [Location] = []
    locations.reserveCapacity(graph.workflow.steps.count)
    var line = 0
    for _ in graph.workflow.steps {
      let file = try reader.text()
      let (next, overflow) = line.addingReportingOverflow(try reader.signed())
      line = next
      let column = try reader.index(below: Limits.fileBytes)
      guard !overflow, line >= 0 else { throw reader.damaged("a line") }
      locations.append(Location(file: file, position: TextLocation(line: line, column: column)))
    }
    self.locations = locations
    try reader.finish()
  }

  /// The file's content.
  public var bytes: [UInt8] {
    var writer = CompiledWriter()
    graph.workflow.write(to: &writer)
    outputs.write(to: &writer)
    var line = 0
    for location in locations {
      location.file.write(to: &writer)
      writer.write(signed: location.position.line - line)
      line = location.position.line
      writer.write(count: location.position.column)
    }
    return writer.finished()
  }
}

extension WorkflowGraph {
  /// Reads a workflow that `flowrun compile` has written. Damaged bytes, or those of another version of the format, are an
  /// error.
  public init(compiled bytes: [UInt8]) throws(CompiledWorkflowError) {
    self = try CompiledWorkflow(bytes).graph
  }
}
