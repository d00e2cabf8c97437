import FlowDiagnostics
import FlowModel
import FlowSyntax

/// Finds references and renames symbols across files that include each other.
extension LanguageServer {
  /// A workflow that may need to be changed together with another one. It is open in the editor or read from disk.
  struct RelatedText {
    let uri: String
    let path: String
    /// The version of the text in the editor, or nil if the file is not open.
    let version: Int?
    let positions: TextPositions
    let workflow: WorkflowDocument
  }

  /// The edits of one text: ranges and the texts that replace them.
  typealias TextEdits = (text: RelatedText, edits: [(span: TextSpan, text: String)])

  /// The maximum number of files and folders that a search for including files visits.
  private static let searchedEntries = 20_000
  /// The names of folders that are not searched, because they do not contain the user's own workflows.
  private static let ignoredFolders: Set<String> = ["node_modules/", "vendor/"]

  /// Returns the workflow at a path, or nil if it cannot be read.
  func related(_ path: String, _ catalog: any ActionCatalog) -> RelatedText? {
    if let uri = documents.values.first(where: { $0.file == path })?.uri, let (document, workflow) = try? analysis(uri)
    {
      return RelatedText(
        uri: uri, path: path, version: document.version, positions: document.positions, workflow: workflow)
    }
    let read = includedFiles
    guard let bytes = read(path) else { return nil }
    let source = SourceText(bytes, file: path)
    return RelatedText(
      uri: FileURI.uri(ofPath: path), path: path, version: nil, positions: TextPositions(source, encoding),
      workflow: WorkflowDocument(
        bytes: bytes, file: path, catalog: catalog, surroundings: .init(read: read)))
  }

  /// Returns the paths of workflows that may include the file: the open ones, and those in the client's folders. If the
  /// client has no folders, the folder of the file is searched. The search ends after ``searchedEntries`` entries.
  private func candidates(near path: String) -> [String] {
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
    var open = client.folders.isEmpty ? [folder] : client.folders
    var found = Set(documents.values.map(\.file))
    var count = 0
    while let folder = open.popLast() {
      for name in workspace.names(folder) where !name.hasPrefix(".") && !Self.ignoredFolders.contains(name) {
        count += 1
        guard count <= Self.searchedEntries else {
          tell("flowrun: there are more than \(Self.searchedEntries) files here; not all were searched for includes")
          return found.sorted()
        }
        if name.hasSuffix("/") {
          open.append("\(folder)/\(name.dropLast())")
        } else if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
          found.insert("\(folder)/\(name)")
        }
      }
    }
    return found.sorted()
  }

  /// Returns the uses of a name of the file at `path` in the files that include it, directly or indirectly.
  func callers(
    of change: IncludedRename, in path: String, _ catalog: any ActionCatalog
  ) throws(RenameProblem) -> [(text: RelatedText, spans: [TextSpan])] {
    let candidates = candidates(near: path)
    let read = includedFiles
    var locations: [String: (text: RelatedText, spans: Set<TextSpan>)] = [:]
    var open = [(path: path, change: change)]
    var seen = Set(["\(path) \(change.name)"])
    while let (path, change) = open.popLast() {
      let name = Array(path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...])
      for candidate in candidates where candidate != path {
        guard let bytes = read(candidate), bytes.firstRange(of: name) != nil,
          let text = locations[candidate]?.text ?? related(candidate, catalog), text.workflow.includes(path)
        else { continue }
        let spans = try text.workflow.locations(of: change, in: path)
        if !spans.isEmpty { locations[candidate, default: (text, [])].spans.formUnion(spans) }
        for outer in text.workflow.passedOn(change, from: path) where seen.insert("\(candidate) \(outer.name)").inserted
        {
          open.append((candidate, outer))
        }
      }
    }
    return locations.keys.sorted().map { (locations[$0]!.text, locations[$0]!.spans.sorted()) }
  }

  /// Returns the file that defines the symbol at `offset`, with the symbol and its span at the offset. The file may be
  /// an included one.
  func subject(at offset: Int, of text: RelatedText, _ catalog: any ActionCatalog) throws(RenameProblem) -> (
    text: RelatedText, symbol: SymbolTable.Symbol, span: TextSpan
  ) {
    guard let link = text.workflow.symbols()?.link(at: offset), text.workflow.isWhole else {
      let found = try text.workflow.renamable(at: offset)
      return (text, found.symbol, found.span)
    }
    let path = text.workflow.path(of: link.file)
    guard let other = related(path, catalog), let declared = other.workflow.declaration(of: link.symbol),
      declared.symbol.kind == link.symbol.kind
    else {
      throw RenameProblem(description: "'\(link.symbol.name)' is not declared in '\(link.file)' itself")
    }
    return (other, declared.symbol, link.span)
  }

  /// Returns the edits that rename a symbol in all files.
  func renaming(
    _ symbol: SymbolTable.Symbol, of text: RelatedText, to name: String, _ catalog: any ActionCatalog
  ) throws(RenameProblem) -> [TextEdits] {
    let own: TextEdits = (text, try text.workflow.rename(symbol, to: name).map { ($0, name) })
    guard let change = IncludedRename(symbol) else { return [own] }
    var edits = [own]
    for caller in try callers(of: change, in: text.path, catalog) {
      edits.append((caller.text, caller.spans.map { ($0, name) }))
    }
    return edits
  }
}
