import FlowDiagnostics
import FlowModel

/// A checked workflow as `flowrun compile` writes it. Programs can run it without reading YAML.
///
/// ```swift
/// let graph = try WorkflowGraph(compiled: bytes)
/// ```
/// Equal workflows have equal bytes. As in YAML, paths are relative to the folder of the file.
public struct CompiledWorkflow: Sendable {
  /// The location of a step in its source file.
  package struct Location: Sendable, Hashable {
    /// The path of the source file, relative to the folder of the main workflow.
    package var file: String
    /// The line and column of the step's id.
    package var position: TextLocation

    package init(file: String, position: TextLocation) {
      self.file = file
      self.position = position
    }
  }

  /// The workflow, merged with all workflows that it includes.
  public let graph: WorkflowGraph
  /// The outputs of a run, with their types if these are known.
  package let outputs: [FieldDeclaration]
  /// The location of each step, by the step's index.
  package let locations: [Location]

  /// Creates a compiled workflow. `outputs` are the outputs of a run, and `locations` has an element for each step.
  package init(_ graph: WorkflowGraph, outputs: [FieldDeclaration], locations: [Location]) {
    self.graph = graph
    self.outputs = outputs
    self.locations = locations
  }

  /// Returns true if the bytes begin like a compiled workflow.
  package static func isCompiled(_ bytes: [UInt8]) -> Bool { bytes.starts(with: CompiledFormat.mark) }

  /// Reads a compiled workflow. Throws if the bytes are not a compiled workflow, are damaged, or have another version
  /// of the format.
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

  /// The content of the compiled file.
  package var bytes: [UInt8] {
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
  /// Reads a workflow that `flowrun compile` has written. Throws if the bytes are not a compiled workflow, are damaged,
  /// or have another version of the format.
  public init(compiled bytes: [UInt8]) throws(CompiledWorkflowError) {
    self = try CompiledWorkflow(bytes).graph
  }
}
