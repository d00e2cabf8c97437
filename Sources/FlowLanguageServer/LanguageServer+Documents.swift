import FlowDiagnostics
import FlowModel
import FlowSyntax
import FlowPlatform

extension LanguageServer {
  func notice(_ message: Message) {
    switch message.method {
    case "exit": exit()
    case "textDocument/didOpen": open(message.parameters)
    case "textDocument/didChange": change(message)
    case "textDocument/didClose": if let uri = message.uri { close(uri) }
    case "textDocument/didSave", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders":
      changeFolders(message.parameters["event"]?.objectValue ?? [:])
      installations.removeAll()
      touchAll()
    case "workspace/didChangeConfiguration":
      let settings = message.parameters["settings"]?.objectValue
      take(settings: settings?["flowrun"]?.objectValue ?? settings ?? [:])
    default: break
    }
  }

  private func changeFolders(_ event: ValueObject) {
    func paths(_ key: String) -> [String] {
      (event[key]?.arrayValue ?? []).compactMap { $0.objectValue?["uri"]?.stringValue }.map(FileURI.folder)
    }
    let removed = Set(paths("removed"))
    client.folders = client.folders.filter { !removed.contains($0) } + paths("added")
  }

  /// Applies the settings that the client has sent for the user.
  func take(settings: ValueObject) {
    if let hints = settings["inlayHints"]?.booleanValue { hasHints = hints }
  }

  private func open(_ parameters: ValueObject) {
    guard let item = parameters["textDocument"]?.objectValue, let uri = item["uri"]?.stringValue,
      let text = item["text"]?.stringValue
    else { return tell("flowrun: the client opened a text without 'uri' or 'text'") }
    documents[uri] = OpenDocument(
      uri: uri, file: FileURI.path(of: uri), version: item["version"]?.integerValue ?? 0, text: text, encoding: encoding
    )
    pulled.remove(uri)
    touchIncluders(of: FileURI.path(of: uri))
  }

  private func change(_ message: Message) {
    guard let uri = message.uri, documents[uri] != nil else { return }
    let version = message.parameters["textDocument"]?.objectValue?["version"]?.integerValue
    do throws(RPCProblem) {
      try documents[uri]!.change(
        message.parameters["contentChanges"]?.arrayValue ?? [], version: version ?? documents[uri]!.version)
      touchIncluders(of: documents[uri]!.file)
    } catch {
      // Later changes would be applied to a document that differs from the client's.
      tell("flowrun: a change could not be taken over (\(error.message)); close the file and open it again")
      close(uri)
    }
  }

  /// Marks the texts that include a file as changed, so that they are analyzed again.
  private func touchIncluders(of file: String) {
    for (uri, document) in documents where document.analysis?.document.includedFiles.contains(file) == true {
      documents[uri]!.touch()
    }
  }

  private func close(_ uri: String) {
    guard let document = documents.removeValue(forKey: uri) else { return }
    touchIncluders(of: document.file)
    let others = foreign.removeValue(forKey: uri) ?? [:]
    if !pulled.contains(uri) { push(document, []) }
    for other in others.keys { push(other, version: nil, []) }
    pulled.remove(uri)
  }

  /// Marks the texts as changed if a manifest or an included file has changed on disk.
  func lookAround() {
    for (uri, document) in documents {
      guard let analysis = document.analysis else { continue }
      if analysis.stamp != stamp(of: document, including: analysis.document.includedFiles) { documents[uri]!.touch() }
    }
  }

  /// Returns a string that changes when the analysis of a document may be outdated even though its text is unchanged.
  private func stamp(of document: OpenDocument, including files: [String]) -> String {
    var text = workspace.stamp(document.file)
    for file in files {
      let open = documents.values.first { $0.file == file }
      text += "\n\(file) " + (open.map { "open \($0.revision)" } ?? FileStamp.of(file) ?? "is gone")
    }
    return text
  }

  /// A function that returns the content of an included file: from the editor if it is open there, otherwise from disk.
  /// It returns nil if the file cannot be read.
  var includedFiles: @Sendable (String) -> [UInt8]? {
    let open = Dictionary(documents.values.map { ($0.file, $0.bytes) }) { first, _ in first }
    return { [files = workspace.files] path in open[path] ?? files(path) }
  }

  func surroundings(_ actions: InstalledActions) -> WorkflowDocument.Surroundings {
    .init(read: includedFiles, names: workspace.names, executors: actions.executors)
  }

  private func touchAll() {
    for uri in documents.keys { documents[uri]!.touch() }
  }

  /// Returns the actions that are available to a document. Searches for them again if manifests have changed.
  func installed(for document: OpenDocument) -> (stamp: String, actions: InstalledActions) {
    let folder = document.file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(document.file[..<$0]) } ?? ""
    let stamp = workspace.stamp(document.file)
    if let known = installations[folder], known.stamp == stamp { return known }
    let actions = workspace.install(document.file)
    if let warning = actions.warning { tell(warning) }
    installations[folder] = (stamp, actions)
    return (stamp, actions)
  }

  /// Returns the analysis of a document. Analyzes it again if the document, an included file or a manifest has changed.
  func analysis(_ uri: String) throws(RPCProblem) -> (document: OpenDocument, workflow: WorkflowDocument) {
    guard let document = documents[uri] else {
      throw .invalidParameters("the text '\(uri)' is not open")
    }
    let installed = installed(for: document)
    if let analysis = document.analysis,
      analysis.stamp == stamp(of: document, including: analysis.document.includedFiles)
    {
      return (document, analysis.document)
    }
    // Release the old analysis first, because each may take as much memory as the file.
    documents[uri]!.analysis = nil
    let workflow = WorkflowDocument(
      bytes: document.bytes, file: document.file, catalog: installed.actions.catalog,
      // A document that has not been saved has no folder for its relative paths.
      surroundings: FilePath.isAbsolute(document.file) ? surroundings(installed.actions) : nil)
    documents[uri]!.analysis = (workflow, stamp(of: document, including: workflow.includedFiles))
    return (documents[uri]!, workflow)
  }

  /// Publishes the diagnostics of the texts that have changed.
  func publishChanges() {
    for uri in documents.keys.sorted() where documents[uri]!.isDirty {
      documents[uri]!.isDirty = false
      if pulled.contains(uri) { continue }
      guard let items = try? diagnostics(of: uri) else { continue }
      push(documents[uri]!, items)
    }
  }

  /// Returns the diagnostics of a document, which are those of `flowrun validate`. Publishes diagnostics that belong to
  /// other files.
  func diagnostics(of uri: String) throws(RPCProblem) -> [Value] {
    guard let document = documents[uri] else { throw .invalidParameters("the text '\(uri)' is not open") }
    if document.isManifest {
      let result = PluginManifestLoader().load(bytes: document.bytes, file: document.file)
      return result.diagnostics.map { value(of: $0, document) }
    }
    if let file = workspace.pluginFileCheck(document.bytes, document.file) {
      return file.diagnostics.map { value(of: $0, document) }
    }
    let (_, workflow) = try analysis(uri)
    let additions = installed(for: document).actions.additions(workflow.result, document.file)
    tellOthers(additions.others, of: uri)
    return (workflow.result.diagnostics + additions.own).map { value(of: $0, document) }
  }

  private func tellOthers(_ files: [DiagnosticReport.File], of uri: String) {
    var found: [String: [Value]] = [:]
    for file in files {
      let other = OpenDocument(
        uri: FileURI.uri(ofPath: file.source.file), file: file.source.file, version: 0, text: "", encoding: encoding)
      let positions = TextPositions(file.source, encoding)
      found[other.uri] = file.diagnostics.map { value(of: $0, other.uri, positions) }
    }
    let before = foreign[uri] ?? [:]
    foreign[uri] = found.isEmpty ? nil : found
    for (other, items) in found where before[other] != items && documents[other] == nil {
      push(other, version: nil, items)
    }
    for other in before.keys where found[other] == nil && documents[other] == nil { push(other, version: nil, []) }
  }

  private func push(_ document: OpenDocument, _ items: [Value]) {
    push(document.uri, version: document.version, items)
  }

  private func push(_ uri: String, version: Int?, _ items: [Value]) {
    var parameters: ValueObject = ["uri": .string(uri), "diagnostics": .array(items)]
    if let version { parameters["version"] = .integer(version) }
    notify("textDocument/publishDiagnostics", .object(parameters))
  }

  func value(of diagnostic: Diagnostic, _ document: OpenDocument) -> Value {
    value(of: diagnostic, document.uri, document.positions)
  }

  private func value(of diagnostic: Diagnostic, _ uri: String, _ positions: TextPositions) -> Value {
    var object: ValueObject = [
      "range": positions.range(diagnostic.span), "severity": diagnostic.isError ? 1 : 2,
      "code": .string(diagnostic.code.rawValue), "source": "flowrun",
      "message": .string(diagnostic.message + (diagnostic.help.map { "\n\($0)" } ?? "")),
    ]
    if !diagnostic.related.isEmpty {
      object["relatedInformation"] = .array(
        diagnostic.related.map { related in
          let other = related.source
          let location = other.map { TextPositions($0, encoding) } ?? positions
          return [
            "location": [
              "uri": .string(other.map { FileURI.uri(ofPath: $0.file) } ?? uri), "range": location.range(related.span),
            ],
            "message": .string(related.label),
          ]
        })
    }
    return .object(object)
  }
}
