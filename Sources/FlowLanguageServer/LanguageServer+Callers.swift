import FlowDiagnostics
import FlowModel
import FlowSyntax

/// Files that include each other: what a name of one of them is called in the others.
extension LanguageServer {
  /// A workflow that may change with another one: open in the editor, or read from the disk.
  struct RelatedText {
    let uri: String
    let path: String
    /// The version of an open text; nil: it is not open.
    let version: Int?
    let positions: TextPositions
    let workflow: WorkflowDocument
  }

  /// Edits of one text: where, and what is written there.
  typealias TextEdits = (text: RelatedText, edits: [(span: TextSpan, text: String)])

  /// The most files and folders that are looked at to find those that include a file.
  private static let searchedEntries = 20_000
  /// Folders that hold no workflows of the user's own.
  private static let ignoredFolders: Set<String> = ["node_modules/", "vendor/"]

  /// A workflow by its path; nil if it cannot be read.
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

  /// The workflows that may include others: those of the client's folders, or of the file's where it named none, and those
  /// that are open.
  private func candidates(near path: String) -> [String] {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
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

  /// The locations in the files that include the one at `path`, directly or through others, which are called by a name
  /// of it.
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

  /// The file and the name there of what is at `offset`: of this file, or of one that it includes.
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

  /// The edits of every file by which a thing gets another name.
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
