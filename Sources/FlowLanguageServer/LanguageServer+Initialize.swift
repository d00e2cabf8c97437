import FlowModel

extension LanguageServer {
  /// Records the capabilities of the client and returns those of the server.
  func initialize(_ parameters: ValueObject) throws(RPCProblem) -> Value {
    guard phase == .fresh else { throw .invalidRequest("'initialize' comes once") }
    phase = .running
    let capabilities = parameters["capabilities"]
    func has(_ path: String...) -> Bool {
      var value = capabilities
      for key in path { value = value?.objectValue?[key] }
      return value?.booleanValue ?? false
    }
    client.hasSnippets = has("textDocument", "completion", "completionItem", "snippetSupport")
    client.hasDocumentChanges = has("workspace", "workspaceEdit", "documentChanges")
    client.pullsDiagnostics = capabilities?.objectValue?["textDocument"]?.objectValue?["diagnostic"]?.objectValue != nil
    client.process = parameters["processId"]?.integerValue.flatMap { Int32(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    let folders = parameters["workspaceFolders"]?.arrayValue?.compactMap { $0.objectValue?["uri"]?.stringValue }
    client.folders = (folders ?? parameters["rootUri"]?.stringValue.map { [$0] } ?? []).map(FileURI.folder)
    take(settings: parameters["initializationOptions"]?.objectValue ?? [:])
    let encodings = capabilities?.objectValue?["general"]?.objectValue?["positionEncodings"]?.arrayValue
    if encodings?.contains(.string(PositionEncoding.utf8.rawValue)) ?? false { encoding = .utf8 }
    return [
      "capabilities": .object(serverCapabilities),
      "serverInfo": ["name": "flowrun", "version": .string(workspace.version)],
    ]
  }

  private var serverCapabilities: ValueObject {
    [
      "positionEncoding": .string(encoding.rawValue),
      "textDocumentSync": ["openClose": true, "change": 2, "save": true],
      "completionProvider": ["triggerCharacters": [".", " ", ":", "-", "{", "[", ",", "/"], "resolveProvider": false],
      "hoverProvider": true,
      "definitionProvider": true,
      "referencesProvider": true,
      "documentHighlightProvider": true,
      "renameProvider": ["prepareProvider": true],
      "documentSymbolProvider": true,
      "foldingRangeProvider": true,
      "selectionRangeProvider": true,
      "codeActionProvider": ["codeActionKinds": ["quickfix", "refactor.rewrite"]],
      "inlayHintProvider": true,
      "diagnosticProvider": ["identifier": "flowrun", "interFileDependencies": true, "workspaceDiagnostics": false],
      "workspace": ["workspaceFolders": ["supported": true, "changeNotifications": true]],
    ]
  }
}
