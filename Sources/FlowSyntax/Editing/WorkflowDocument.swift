import FlowDiagnostics
import FlowExpressions
import FlowModel

/// A workflow that is being edited. It answers an editor's requests even if the text is invalid.
///
/// Its diagnostics are those of ``WorkflowLoader/load(bytes:file:)``. If the text is not valid YAML, all requests
/// except renaming use the parts that are valid.
package struct WorkflowDocument: Sendable {
  package let result: LoadResult
  /// True if the whole text could be read.
  package var isWhole: Bool { !isRecovered && check != nil }

  let catalog: any ActionCatalog
  /// The access to other files, or nil if other files must not be read.
  let surroundings: Surroundings?
  /// The sorted paths of all included files, even of those that could not be read or that only included files include.
  package let includedFiles: [String]
  /// The checked workflow, or nil if the text could not be read.
  let check: WorkflowCheck?
  private let isRecovered: Bool

  /// The access to files around a document.
  package struct Surroundings: Sendable {
    /// Returns the content of the file at a path, or nil if it cannot be read.
    package var read: @Sendable (String) -> [UInt8]?
    /// Returns the names of the files and folders in a folder. Names of folders end with a slash.
    package var names: @Sendable (String) -> [String]
    /// The names of the executors that installed plugins provide.
    package var executors: [String]

    package init(
      read: @escaping @Sendable (String) -> [UInt8]?, names: @escaping @Sendable (String) -> [String] = { _ in [] },
      executors: [String] = []
    ) {
      self.read = read
      self.names = names
      self.executors = executors
    }
  }

  /// Reads a workflow from text. `file` is its name in messages. If `surroundings` is nil, included files are not read.
  package init(bytes: [UInt8], file: String, catalog base: any ActionCatalog, surroundings: Surroundings? = nil) {
    self.surroundings = surroundings
    let library = surroundings.map { IncludeLibrary(catalog: base, files: $0.read) }
    catalog =
      library.map { IncludeCatalog(base: base, library: $0, stack: [IncludeLibrary.resolve(file, in: "")]) } ?? base
    let loader = WorkflowLoader(catalog: catalog)
    let source = SourceText(bytes, file: file)
    let expressions = library?.expressions ?? ExpressionTable()
    let examined = loader.examine(source, expressions)
    var result = examined.result
    result.included = library?.resultsWithDiagnostics ?? []
    self.result = result
    includedFiles = library?.named ?? []
    isRecovered = examined.failure != nil
    check =
      examined.check
      ?? examined.failure.flatMap { YAMLRecovery.tree(of: source, first: $0) }.map { loader.examine($0, expressions) }
  }

  /// Returns the document without the line at `offset`, which is being typed, if the text is invalid only because of
  /// this line, or if nothing of the text could be read. Otherwise returns this document.
  func withoutLine(at offset: Int) -> WorkflowDocument {
    guard !isWhole else { return self }
    var bytes = source.bytes
    let lines = LineTable(source)
    let line = lines.span(ofLine: lines.line(of: offset))
    for index in line.start..<line.end { bytes[index] = 0x20 }
    let document = WorkflowDocument(
      bytes: bytes, file: source.file, catalog: installedCatalog, surroundings: surroundings)
    return document.isWhole || check == nil ? document : self
  }

  /// The catalog of installed actions, without those that stand for included files.
  var installedCatalog: any ActionCatalog { (catalog as? IncludeCatalog)?.base ?? catalog }

  /// Resolves a path that is relative to this file.
  package func path(of name: String) -> String {
    IncludeLibrary.resolve(name, in: IncludeLibrary.folder(of: IncludeLibrary.resolve(source.file, in: "")))
  }

  package var source: SourceText { result.source }

  /// The syntax tree, or nil if the text could not be read.
  var tree: NodeTree? { check?.tree }

  /// The part of the workflow that could be read.
  var workflow: Workflow { check?.workflow ?? Workflow(name: "", steps: []) }

  func step(named id: String) -> Int? { check?.stepIndex(like: id) }

  /// Returns the step at `offset`, from its id to the end of its content, or nil.
  func step(at offset: Int) -> Int? {
    guard let check, let tree, let last = check.locations.steps.lastIndex(where: { tree.span($0.key).start <= offset })
    else { return nil }
    let location = check.locations.steps[last]
    return offset <= max(tree.span(location.key).end, tree.contentEnd(location.value)) ? last : nil
  }
}

extension NodeTree {
  /// Returns the offset where the content of a node ends. The range of a mapping may include blank lines after the
  /// content.
  func contentEnd(_ id: NodeID) -> Int {
    let next = next(id)
    return next - 1 > id ? Int(nodes[next - 1].end) : Int(nodes[id].end)
  }
}
