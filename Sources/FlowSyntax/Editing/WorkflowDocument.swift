import FlowDiagnostics
import FlowModel

/// The text of a workflow that is being edited, read as far as it can be, with answers to what an editor asks.
///
/// What is wrong with it is what ``WorkflowLoader/load(bytes:file:)`` says. A text that is no YAML is read without the
/// parts that are broken, for everything but renaming.
package struct WorkflowDocument: Sendable {
  /// What loading the text gives.
  package let result: LoadResult
  /// Whether all of the text could be read.
  package var isWhole: Bool { !isRecovered && check != nil }

  let catalog: any ActionCatalog
  /// What can be known of other files.
  let surroundings: Surroundings?
  /// The files that it includes, directly or not, as far as they could be read.
  package let includedFiles: [String]
  /// What was read and checked; nil if nothing could be read.
  let check: WorkflowCheck?
  private let isRecovered: Bool

  /// What a document can learn of the files around it.
  package struct Surroundings: Sendable {
    /// What is in a file; nil if it cannot be read.
    package var read: @Sendable (String) -> [UInt8]?
    /// The names of what is in a folder, those of folders with a slash behind them.
    package var names: @Sendable (String) -> [String]
    /// The executors that plugins bring.
    package var executors: [String]

    /// Surroundings.
    package init(
      read: @escaping @Sendable (String) -> [UInt8]?, names: @escaping @Sendable (String) -> [String] = { _ in [] },
      executors: [String] = []
    ) {
      self.read = read
      self.names = names
      self.executors = executors
    }
  }

  /// Reads `bytes`; `file` is what messages call it. Without `surroundings`, steps that include files are taken as they
  /// are.
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

  /// The document as completion sees it: where the text is no YAML because of the line that is being typed, the rest
  /// is what counts.
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

  /// The installed actions, without files.
  var installedCatalog: any ActionCatalog { (catalog as? IncludeCatalog)?.base ?? catalog }

  /// The path of a file that this one names.
  package func path(of name: String) -> String {
    IncludeLibrary.resolve(name, in: IncludeLibrary.folder(of: IncludeLibrary.resolve(source.file, in: "")))
  }

  /// The text.
  package var source: SourceText { result.source }

  /// What was read of the text.
  var tree: NodeTree? { check?.tree }

  /// The steps as they were read.
  var workflow: Workflow { check?.workflow ?? Workflow(name: "", steps: []) }

  /// The step of this id, or nil.
  func step(named id: String) -> Int? { check?.stepIndex(like: id) }

  /// The step whose text holds the byte at `offset`, its id included.
  func step(at offset: Int) -> Int? {
    guard let check, let tree, let last = check.locations.steps.lastIndex(where: { tree.span($0.key).start <= offset })
    else { return nil }
    let location = check.locations.steps[last]
    return offset <= max(tree.span(location.key).end, tree.contentEnd(location.value)) ? last : nil
  }
}

extension NodeTree {
  /// Where the last thing inside a node ends; a map may be said to end behind the blank lines that follow it.
  func contentEnd(_ id: NodeID) -> Int {
    let next = next(id)
    return next - 1 > id ? Int(nodes[next - 1].end) : Int(nodes[id].end)
  }
}
