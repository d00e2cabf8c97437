import FlowDiagnostics
import FlowModel
import FlowSyntax

/// The maximum number of proposals in a response. If there are more, the client asks again while the user types.
private let completionsLimit = 250

extension LanguageServer {
  /// Handles a request and returns its result.
  func result(of message: Message) throws(RPCProblem) -> Value {
    switch message.method {
    case "initialize": return try initialize(message.parameters)
    case "shutdown":
      phase = .shutDown
      return .null
    case "textDocument/diagnostic": return try pull(message)
    case "textDocument/completion": return try completion(message)
    case "textDocument/hover": return try hover(message)
    case "textDocument/definition": return try definition(message)
    case "textDocument/references": return try references(message)
    case "textDocument/documentHighlight": return try highlight(message)
    case "textDocument/prepareRename": return try prepareRename(message)
    case "textDocument/rename": return try rename(message)
    case "textDocument/documentSymbol": return try symbols(message)
    case "textDocument/foldingRange": return try folds(message)
    case "textDocument/selectionRange": return try selections(message)
    case "textDocument/codeAction": return try actions(message)
    case "textDocument/inlayHint": return try hints(message)
    default: throw .methodNotFound(message.method)
    }
  }

  /// Returns the text that a request is about, with its analysis. Returns nil for a manifest or a schema of records,
  /// for which only diagnostics are available.
  private func subject(_ message: Message) throws(RPCProblem) -> (document: OpenDocument, workflow: WorkflowDocument)? {
    guard let uri = message.uri else { throw .invalidParameters("'textDocument' is missing") }
    guard let document = documents[uri] else { throw .invalidParameters("the text '\(uri)' is not open") }
    let isWorkflow = !document.isManifest && workspace.pluginFileCheck(document.bytes, document.file) == nil
    return isWorkflow ? try analysis(uri) : nil
  }

  private func offset(_ message: Message, _ document: OpenDocument) throws(RPCProblem) -> Int {
    guard let offset = document.positions.offset(message.parameters["position"]) else {
      throw .invalidParameters("'position' is missing or wrong")
    }
    return offset
  }

  private func span(_ message: Message, _ document: OpenDocument) throws(RPCProblem) -> TextSpan {
    guard let span = document.positions.span(message.parameters["range"]) else {
      throw .invalidParameters("'range' is missing or wrong")
    }
    return span
  }

  private func location(_ span: TextSpan, _ document: OpenDocument) -> Value {
    ["uri": .string(document.uri), "range": document.positions.range(span)]
  }

  private func markdown(_ text: String) -> Value { ["kind": "markdown", "value": .string(text)] }

  private func pull(_ message: Message) throws(RPCProblem) -> Value {
    guard let uri = message.uri else { throw .invalidParameters("'textDocument' is missing") }
    let items = try diagnostics(of: uri)
    // A client that requests a file's diagnostics does not need published ones as well, so remove those published before.
    if client.pullsDiagnostics, pulled.insert(uri).inserted {
      notify(
        "textDocument/publishDiagnostics", ["uri": .string(uri), "diagnostics": []])
    }
    let result = "\(documents[uri]!.revision)-\(installed(for: documents[uri]!).stamp.hashValue)"
    if message.parameters["previousResultId"] == .string(result) {
      return ["kind": "unchanged", "resultId": .string(result)]
    }
    return ["kind": "full", "resultId": .string(result), "items": .array(items)]
  }

  private func completion(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let offset = try offset(message, document)
    let found = workflow.completions(at: offset)
    let shown = found.count > completionsLimit ? likeliest(found, typedUntil: offset, document) : found
    guard let span = found.first?.span else { return ["isIncomplete": false, "items": []] }
    let range = document.positions.range(span)
    let items = shown.enumerated().map { index, completion in
      // All proposals in a response usually replace the same word, so its range is computed once.
      completionValue(
        completion, at: index, completion.span == span ? range : document.positions.range(completion.span))
    }
    return ["isIncomplete": .boolean(found.count > completionsLimit), "items": .array(items)]
  }

  /// Returns the proposals that start with the typed text, followed by those that contain it, up to the maximum number.
  private func likeliest(
    _ found: [Completion], typedUntil offset: Int, _ document: OpenDocument
  ) -> [Completion] {
    let typed = document.positions.source.text(of: TextSpan(found[0].span.start, offset)).lowercased()
    var inside: [Completion] = []
    var first: [Completion] = []
    for completion in found where first.count < completionsLimit {
      let label = completion.label.lowercased()
      if label.hasPrefix(typed) {
        first.append(completion)
      } else if inside.count < completionsLimit, label.contains(typed) {
        inside.append(completion)
      }
    }
    return first + inside.prefix(completionsLimit - first.count)
  }

  private func completionValue(_ completion: Completion, at index: Int, _ range: Value) -> Value {
    let number = String(index)
    let text = completion.snippet ?? completion.label
    let isSnippet = completion.snippet != nil && client.hasSnippets
    let newText = completion.snippet == nil || isSnippet ? text : text.withoutPlaceholders
    var object: ValueObject = [
      "label": .string(completion.label), "kind": .integer(completion.kind.number),
      "sortText": .string(String(repeating: "0", count: max(0, 5 - number.count)) + number),
      "filterText": .string(completion.label),
      "textEdit": ["range": range, "newText": .string(newText)],
      "insertTextFormat": isSnippet ? 2 : 1, "insertTextMode": 1,
    ]
    if !completion.detail.isEmpty { object["detail"] = .string(completion.detail) }
    if !completion.documentation.isEmpty { object["documentation"] = markdown(completion.documentation) }
    return .object(object)
  }

  private func hover(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let hover = workflow.hover(at: try offset(message, document), rank: workspace.rank) { step in
      workspace.history(document.file, step)
    }
    guard let hover else { return .null }
    return ["contents": markdown(hover.text), "range": document.positions.range(hover.span)]
  }

  private func definition(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let offset = try offset(message, document)
    if let symbols = workflow.symbols(), let found = symbols.occurrence(at: offset) {
      return .array(
        symbols.occurrences(of: found.symbol).filter(\.isDefinition).map { location($0.span, document) })
    }
    guard let (file, span) = workflow.declaration(at: offset),
      let source = documents.values.first(where: { $0.file == file })?.positions.source
        ?? includedFiles(file).map({ SourceText($0, file: file) }) ?? ManifestText.read(file)
    else { return .null }
    let positions = TextPositions(source, encoding)
    return [["uri": .string(FileURI.uri(ofPath: file)), "range": positions.range(span(source))]]
  }

  private func references(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let offset = try offset(message, document)
    let includes = message.parameters["context"]?.objectValue?["includeDeclaration"]?.booleanValue ?? true
    let catalog = installed(for: document).actions.catalog
    let text = related(document, workflow)
    if let symbols = workflow.symbols(), symbols.link(at: offset) == nil, let found = symbols.occurrence(at: offset),
      IncludedRename(found.symbol) == nil || !workflow.isWhole
    {
      return .array(
        symbols.occurrences(of: found.symbol).filter { includes || !$0.isDefinition }.map {
          location($0.span, document)
        })
    }
    guard let (owner, symbol, _) = try? subject(at: offset, of: text, catalog),
      let change = IncludedRename(symbol)
    else { return .null }
    var locations = (owner.workflow.symbols()?.occurrences(of: symbol) ?? [])
      .filter { includes || !$0.isDefinition }.map { (owner, $0.span) }
    // Callers that cannot be read completely are skipped.
    for caller in (try? callers(of: change, in: owner.path, catalog)) ?? [] {
      locations += caller.spans.map { (caller.text, $0) }
    }
    return .array(locations.map { ["uri": .string($0.0.uri), "range": $0.0.positions.range($0.1)] })
  }

  private func related(_ document: OpenDocument, _ workflow: WorkflowDocument) -> RelatedText {
    RelatedText(
      uri: document.uri, path: document.file, version: document.version, positions: document.positions,
      workflow: workflow)
  }

  private func highlight(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let offset = try offset(message, document)
    guard let symbols = workflow.symbols(), let found = symbols.occurrence(at: offset) else { return .null }
    return .array(
      symbols.occurrences(of: found.symbol).map {
        ["range": document.positions.range($0.span), "kind": $0.isDefinition ? 3 : 2]
      })
  }

  private func prepareRename(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let offset = try offset(message, document)
    do throws(RenameProblem) {
      let catalog = installed(for: document).actions.catalog
      let found = try subject(at: offset, of: related(document, workflow), catalog)
      return ["range": document.positions.range(found.span), "placeholder": .string(found.symbol.name)]
    } catch {
      throw .failed(error.description)
    }
  }

  private func rename(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let offset = try offset(message, document)
    guard let name = message.parameters["newName"]?.stringValue else {
      throw .invalidParameters("'newName' is missing")
    }
    do throws(RenameProblem) {
      let catalog = installed(for: document).actions.catalog
      let found = try subject(at: offset, of: related(document, workflow), catalog)
      return edit(of: try renaming(found.symbol, of: found.text, to: name, catalog))
    } catch {
      throw .failed(error.description)
    }
  }

  private func edit(of changes: [TextEdits]) -> Value {
    let edits = changes.map { change in
      (
        text: change.text,
        edits: Value.array(
          change.edits.map { ["range": change.text.positions.range($0.span), "newText": .string($0.text)] })
      )
    }
    guard client.hasDocumentChanges else {
      return ["changes": .object(ValueObject(edits.map { ($0.text.uri, $0.edits) }))]
    }
    return [
      "documentChanges": .array(
        edits.map {
          let version = $0.text.version.map { Value.integer($0) } ?? .null
          return ["textDocument": ["uri": .string($0.text.uri), "version": version], "edits": $0.edits]
        })
    ]
  }

  private func symbols(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    func value(_ section: WorkflowDocument.Section) -> Value {
      [
        "name": .string(section.name.isEmpty ? "?" : section.name), "detail": .string(section.detail),
        "kind": section.isStep ? 12 : 3, "range": document.positions.range(section.span),
        "selectionRange": document.positions.range(section.nameSpan), "children": .array(section.children.map(value)),
      ]
    }
    return .array(workflow.outline().map(value))
  }

  private func folds(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    return .array(
      workflow.folds().map {
        [
          "startLine": .integer(document.positions.position(of: $0.start).line),
          "endLine": .integer(document.positions.position(of: $0.end - 1).line),
        ]
      })
  }

  private func selections(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    var result: [Value] = []
    for position in message.parameters["positions"]?.arrayValue ?? [] {
      guard let offset = document.positions.offset(position) else { throw .invalidParameters("'positions' is wrong") }
      var value = Value.null
      for span in workflow.selections(at: offset).reversed() {
        var range: ValueObject = ["range": document.positions.range(span)]
        if !value.isNull { range["parent"] = value }
        value = .object(range)
      }
      result.append(value)
    }
    return .array(result)
  }

  private func actions(_ message: Message) throws(RPCProblem) -> Value {
    guard let (document, workflow) = try subject(message) else { return .null }
    let text = related(document, workflow)
    let only = message.parameters["context"]?.objectValue?["only"]?.arrayValue?.compactMap(\.stringValue)
    let fixes = workflow.fixes(in: try span(message, document))
    return .array(
      fixes.compactMap { fix in
        let kind = fix.diagnostic == nil ? "refactor.rewrite" : "quickfix"
        if let only, !only.contains(where: { kind == $0 || kind.hasPrefix($0 + ".") || $0.isEmpty }) { return nil }
        var object: ValueObject = [
          "title": .string(fix.title), "kind": .string(kind), "edit": edit(of: [(text, fix.edits)]),
        ]
        if let diagnostic = fix.diagnostic { object["diagnostics"] = [value(of: diagnostic, document)] }
        return .object(object)
      })
  }

  private func hints(_ message: Message) throws(RPCProblem) -> Value {
    guard hasHints, let (document, workflow) = try subject(message) else { return .null }
    return .array(
      workflow.hints(in: try span(message, document)).map { hint in
        let location = document.positions.position(of: hint.offset)
        var object: ValueObject = [
          "position": ["line": .integer(location.line), "character": .integer(location.column)],
          "label": .string(hint.isType ? ": \(hint.text)" : hint.text), "paddingLeft": .boolean(!hint.isType),
        ]
        if hint.isType { object["kind"] = 1 }
        return .object(object)
      })
  }
}

extension Completion.Kind {
  /// The number of the kind in the protocol.
  fileprivate var number: Int {
    switch self {
    case .key: 10
    case .input: 5
    case .value: 12
    case .action: 3
    case .step: 18
    case .event: 23
    case .queue: 9
    case .context: 6
    case .output: 5
    case .function: 3
    case .unit: 11
    case .file: 17
    case .folder: 19
    }
  }
}

extension String {
  /// The text of a snippet without its placeholders, for clients that do not support snippets.
  fileprivate var withoutPlaceholders: String {
    var result = ""
    var rest = self[...]
    while let letter = rest.popFirst() {
      if letter == "\\", let next = rest.popFirst() {
        result.append(next)
      } else if letter == "$", rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else { break }
        let inside = rest[rest.index(after: rest.startIndex)..<end].drop { $0.isNumber }
        if inside.first == ":" {
          result += inside.dropFirst()
        } else if inside.first == "|" {
          result += inside.dropFirst().prefix { $0 != "," && $0 != "|" }
        }
        rest = rest[rest.index(after: end)...]
      } else if letter == "$" {
        rest = rest.drop { $0.isNumber }
      } else {
        result.append(letter)
      }
    }
    return result
  }
}
