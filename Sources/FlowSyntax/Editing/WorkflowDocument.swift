import FlowDiagnostics
import FlowModel

/// The text of a workflow that is being edited, and answers to an editor's requests. Invalid text is read as far as
/// possible.
///
/// Its diagnostics are those of ``WorkflowLoader/load(bytes:file:)``. For everything but renaming, text that is not
/// valid YAML is read without its invalid parts.
package struct WorkflowDocument: Sendable {
  /// The result of loading the text.
  package let result: LoadResult
  /// True if all of the text could be read.
  package var isWhole: Bool { !isRecovered && check != nil }

  let catalog: any ActionCatalog
  /// Access to other files, or nil.
  let surroundings: Surroundings?
  /// The files that it includes directly or indirectly, as far as they could be read.
  package let includedFiles: [String]
  /// The checked workflow, or nil if nothing could be read.
  let check: WorkflowCheck?
  private let isRecovered: Bool

  /// Access to the files around a document.
  package struct Surroundings: Sendable {
    /// Reads a file, or returns nil if it cannot be read.
    package var read: @Sendable (String) -> [UInt8]?
    /// Returns the names in a folder; names of folders end with a slash.
    package var names: @Sendable (String) -> [String]
    /// The executors of installed plugins.
    package var executors: [String]

    /// Creates an access to files.
    package init(
      read: @escaping @Sendable (String) -> [UInt8]?, names: @escaping @Sendable (String) -> [String] = { _ in [] },
      executors: [String] = []
    ) {
      self.read = read
      self.names = names
      self.executors = executors
    }
  }

  /// Reads `bytes`; `file` is the name in messages. Without `surroundings`, included files are not read.
  package init(bytes: [UInt8], file: String, catalog base: any ActionCatalog, surroundings: Surroundings? = nil) {
    self.surroundings = surroundings
    let library = surroundings.map { IncludeLibrary(catalog: base, files: $0.read) }
    catalog =
      library.map { IncludeCatalog(base: base, library: $0, stack: [IncludeLibrary.resolve(file, in: "")]) } ?? base
    let loader = WorkflowLoader(catalog: catalog)
    let source = SourceText(bytes, file: file)
    let examined = loader.examine(source)
    var result = examined.result
    result.included = library?.results.filter { !$0.diagnostics.isEmpty } ?? []
    self.result = result
    includedFiles = library?.named ?? []
    isRecovered = examined.failure != nil
    check =
      examined.check
      ?? examined.failure.flatMap { YAMLRecovery.tree(of: source, first: $0) }.map { loader.examine($0) }
  }

  /// Returns the document for completion: if the line that is being typed makes the YAML invalid, the document without
  /// this line.
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

  /// The installed actions, without included files.
  var installedCatalog: any ActionCatalog { (catalog as? IncludeCatalog)?.base ?? catalog }

  /// Returns the path of a file that this one refers to.
  package func path(of name: String) -> String {
    IncludeLibrary.resolve(name, in: IncludeLibrary.folder(of: IncludeLibrary.resolve(source.file, in: "")))
  }

  /// The text of the document.
  package var source: SourceText { result.source }

  /// The syntax tree, or nil.
  var tree: NodeTree? { check?.tree }

  /// The steps as far as they could be read.
  var workflow: Workflow { check?.workflow ?? Workflow(name: "", steps: []) }

  /// Returns the step with this id, or nil.
  func step(named id: String) -> Int? { check?.stepIndex(like: id) }

  /// Returns the step whose text, including its id, contains the byte at `offset`.
  func step(at offset: Int) -> Int? {
    guard let check, let tree, let last = check.locations.steps.lastIndex(where: { tree.span($0.key).start <= offset })
    else { return nil }
    let location = check.locations.steps[last]
    return offset <= max(tree.span(location.key).end, tree.contentEnd(location.value)) ? last : nil
  }
}

extension NodeTree {
  /// Returns the end of the last node inside a node; the span of a mapping may extend over blank lines that follow it.
  func contentEnd(_ id: NodeID) -> Int {
    let next = next(id)
    return next - 1 > id ? Int(nodes[next - 1].end) : Int(nodes[id].end)
  }
}
