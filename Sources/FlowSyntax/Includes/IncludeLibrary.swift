import FlowBytes
import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPlatform
import Synchronization

/// The files that a workflow includes. Each file is read and checked only once.
final class IncludeLibrary: Sendable {
  /// An included file, with the result of reading and checking it.
  struct IncludableFile: Sendable {
    /// The absolute path of the file.
    let path: String
    /// The declaration of the file as an action, or nil if the file cannot be used.
    var declaration: ActionDeclaration?
    var workflow: Workflow?
    /// The events that the file declares, posts or receives from the files that it includes.
    var events: Set<String> = []
    /// The location where each input is declared, by name.
    var inputLocations: [String: Diagnostic.RelatedLocation] = [:]
    /// The reason why the file cannot be used, or nil.
    var problem: String?
    /// The result of loading the file, or nil if it could not be read.
    var result: LoadResult?
  }

  /// The codes of diagnostics that do not apply if the file is included.
  private static let matters: Set<DiagnosticCode> = [
    .missingHandle, .waitWithoutMaximum, .gateInfeasible, .gateOutsideGuidance,
  ]

  /// The parsed expressions of all files. Files share them because their steps may be merged into one workflow.
  let expressions = ExpressionTable()
  private let catalog: any ActionCatalog
  private let files: @Sendable (String) -> [UInt8]?
  private let entries = Mutex<[ByteName: IncludableFile]>([:])
  /// The files that have been read, in the order of reading.
  private let texts = Mutex<[(path: String, bytes: [UInt8])]>([])

  init(catalog: any ActionCatalog, files: @escaping @Sendable (String) -> [UInt8]?) {
    self.catalog = catalog
    self.files = files
  }

  /// True if `name` is the path of a file rather than the name of an action.
  static func isFile(_ name: String) -> Bool {
    switch name.utf8.first {
    case UInt8(ascii: "/"): return true
    case UInt8(ascii: ".") where ["./", "../"].contains { name.utf8.starts(with: $0.utf8) }: return true
    // This function is called several times for each step, mostly with the name of an action, so the last byte is
    // checked first.
    default: return name.utf8.last == UInt8(ascii: "l") && [".yaml", ".yml"].contains { name.hasSuffix($0) }
    }
  }

  /// The files that have been read, sorted by path.
  var read: [(path: String, bytes: [UInt8])] { texts.withLock { $0 }.sorted { $0.path < $1.path } }

  /// Returns an FNV-1a hash of the contents of the files with these paths.
  func digest(of paths: [String]) -> UInt64 {
    var hash = FNV1a64()
    for (path, bytes) in read where paths.contains(where: { $0.hasSameBytes(as: path) }) { hash.add(bytes) }
    return hash.value
  }

  /// The paths of all included files, sorted, even of those that could not be read.
  var named: [String] { entries.withLock { $0.keys.sorted().map(\.text) } }

  /// The results of loading the files.
  var results: [LoadResult] { entries.withLock { $0.values.compactMap(\.result) } }

  /// The results of loading the files that have diagnostics, sorted by path.
  var resultsWithDiagnostics: [LoadResult] {
    results.filter { !$0.diagnostics.isEmpty }.sorted { $0.source.file < $1.source.file }
  }

  /// Returns the file with this name, and loads it if necessary. `stack` is the chain of files from the main workflow
  /// to the including one. It is used to detect files that include themselves, and to limit the depth.
  func entry(_ name: String, stack: [String]) -> IncludableFile {
    let path = Self.resolve(name, in: Self.folder(of: stack.last ?? ""))
    if let first = stack.firstIndex(where: { $0.hasSameBytes(as: path) }) {
      let names = (stack[first...] + [path]).map(Self.fileName)
      return IncludableFile(path: path, problem: "the files include each other: \(names.joined(separator: " → "))")
    }
    guard stack.count < Limits.includeDepth else {
      return IncludableFile(path: path, problem: "files include each other more than \(Limits.includeDepth) deep")
    }
    if let known = entries.withLock({ $0[ByteName(path)] }) { return known }
    let entry = load(path, stack: stack)
    entries.withLock { $0[ByteName(path)] = entry }
    return entry
  }

  private func load(_ path: String, stack: [String]) -> IncludableFile {
    guard let bytes = files(path) else {
      return IncludableFile(path: path, problem: "there is no file '\(path)' that can be read")
    }
    texts.withLock { $0.append((path, bytes)) }
    let loader = WorkflowLoader(catalog: IncludeCatalog(base: catalog, library: self, stack: stack + [path]))
    let examined = loader.examine(SourceText(bytes, file: path), expressions)
    var result = examined.result
    // The including workflow may provide the handles, and it alone has a gate.
    result.diagnostics.removeAll { Self.matters.contains($0.code) }
    let errors = result.diagnostics.filter(\.isError)
    guard errors.isEmpty, let check = examined.check else {
      let count = "\(errors.count) \(errors.count == 1 ? "error" : "errors")"
      let first = errors.first.map { ": \(result.source.location($0)): \($0.message)" } ?? ""
      return IncludableFile(path: path, problem: "that file has \(count)\(first)", result: result)
    }
    for key in WorkflowKey.notInIncluded {
      guard let member = check.locations.member(key) else { continue }
      return IncludableFile(
        path: path,
        problem: "it has '\(key.rawValue)' (line \(check.tree.line(of: member.key))), "
          + (key == .secrets
            ? "but an included file gets its secrets as inputs with 'secret: true'"
            : "which only the workflow that is started can have"),
        result: result)
    }
    return IncludableFile(
      path: path, declaration: Self.declaration(check, path), workflow: check.workflow,
      events: check.ownEvents(), inputLocations: Self.inputLocations(check),
      result: result)
  }

  private static func inputLocations(_ check: WorkflowCheck) -> [String: Diagnostic.RelatedLocation] {
    guard let node = check.locations.value(.inputs), check.tree.kind(node) == .mapping else { return [:] }
    var locations: [String: Diagnostic.RelatedLocation] = [:]
    var ignored: [Diagnostic] = []
    var members = check.tree.members(of: node, failures: &ignored)
    while let member = members.next(in: check.tree) {
      guard let name = check.tree.text(of: member.key) else { continue }
      locations[name] = .init(check.tree.span(member.key), "'\(name)' is declared here", in: check.tree.source)
    }
    return locations
  }

  private static func declaration(_ check: WorkflowCheck, _ path: String) -> ActionDeclaration {
    let workflow = check.workflow
    var declaration = ActionDeclaration(
      name: fileName(path), summary: workflow.description ?? "The workflow '\(workflow.name)'", inputs: workflow.inputs,
      outputs: workflow.outputs.map { FieldDeclaration($0.key, .any, isRequired: false) }, origin: path)
    declaration.outputLimitBytes = Limits.fanOutOutputBytes
    // Steps upstream of the including step must provide the handles that no step of the file provides.
    declaration.requires = check.missingHandles
    return declaration
  }

  func catalogDeclaration(_ name: String) -> ActionDeclaration? { catalog.declaration(named: name) }

  // MARK: Paths

  static func fileName(_ path: String) -> String { path.pathParts.last ?? path }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(path[..<slash])
  }

  /// Returns the path of a file relative to `folder`. Both paths must be absolute, or both must be relative to the
  /// working folder.
  static func name(of path: String, from folder: String) -> String {
    let (own, other) = (path.pathParts, folder.pathParts)
    let common = zip(own, other).prefix { $0.hasSameBytes(as: $1) }.count
    return (other.dropFirst(common).map { _ in ".." } + own.dropFirst(common)).joined(separator: "/")
  }

  /// Returns a path without `.`, and without `..` except at its beginning. A relative path is resolved against
  /// `folder`.
  static func resolve(_ path: String, in folder: String) -> String {
    let whole = FilePath.isAbsolute(path) || folder.isEmpty ? path : folder + "/" + path
    var parts: [String] = []
    for part in whole.pathParts where part != "." {
      if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
    }
    // `joined` would make the runtime create generic types when a process resolves its first path.
    return (FilePath.isAbsolute(whole) ? "/" : "") + (parts.first ?? "")
      + parts.dropFirst().reduce("") { $0 + "/" + $1 }
  }
}

/// The installed actions together with included files, such as `./other.yaml`, which are used like actions.
struct IncludeCatalog: ActionCatalog {
  let base: any ActionCatalog
  let library: IncludeLibrary
  /// The chain of files from the main workflow to the current one.
  let stack: [String]

  var declarations: [ActionDeclaration] { base.declarations }
  var runHandles: [HandleKey] { base.runHandles }

  func declaration(named name: String) -> ActionDeclaration? {
    IncludeLibrary.isFile(name) ? library.entry(name, stack: stack).declaration : base.declaration(named: name)
  }

  func problems(with input: LiteralInput, of action: String) -> [InputProblem] {
    IncludeLibrary.isFile(action) ? [] : base.problems(with: input, of: action)
  }

  func newName(of name: String) -> String? { base.newName(of: name) }
}

extension WorkflowKey {
  /// The keys that an included file cannot have, because a run has only one gate and one history.
  static let notInIncluded: [WorkflowKey] = [
    .deadline, .timeout, .durable, .history, .logLimit, .secrets, .budgets,
  ]
}

extension SourceText {
  /// Returns the file name, line and column of a diagnostic, such as `other.yaml:3:5`.
  func location(_ diagnostic: Diagnostic) -> String {
    let location = LineTable(self).location(of: diagnostic.span.start)
    return "\(IncludeLibrary.fileName(file)):\(location.line):\(location.column)"
  }
}

extension NodeTree {
  /// Returns the line of a node, counted from 1.
  func line(of node: NodeID) -> Int { LineTable(source).line(of: span(node).start) }
}
