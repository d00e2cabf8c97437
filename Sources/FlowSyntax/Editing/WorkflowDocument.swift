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
  private let files: (@Sendable (String) -> [UInt8]?)?
  /// The files that it includes, directly or not, as far as they could be read.
  package let includedFiles: [String]
  /// What was read and checked; nil where nothing could be read.
  let check: WorkflowCheck?
  private let isRecovered: Bool

  /// Reads `bytes`; `file` is what messages call it. `files` gives what stands in a file that it includes, as for
  /// ``WorkflowLoader``; without it such steps are taken as they are.
  package init(
    bytes: [UInt8], file: String, catalog base: any ActionCatalog, files: (@Sendable (String) -> [UInt8]?)? = nil
  ) {
    self.files = files
    let library = files.map { IncludeLibrary(catalog: base, files: $0) }
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
      bytes: bytes, file: source.file, catalog: (catalog as? IncludeCatalog)?.base ?? catalog, files: files)
    return document.isWhole || check == nil ? document : self
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
    guard let check, let tree, let last = check.places.steps.lastIndex(where: { tree.span($0.key).start <= offset })
    else { return nil }
    let place = check.places.steps[last]
    return offset <= max(tree.span(place.key).end, tree.contentEnd(place.value)) ? last : nil
  }
}

extension NodeTree {
  /// Where the last thing inside a node ends; a map may be said to end behind the blank lines that follow it.
  func contentEnd(_ id: NodeID) -> Int {
    let next = next(id)
    return next - 1 > id ? Int(nodes[next - 1].end) : Int(nodes[id].end)
  }
}
