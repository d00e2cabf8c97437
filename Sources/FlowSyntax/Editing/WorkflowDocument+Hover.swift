import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowDocument {
  /// The information that an editor shows when the pointer rests on a place.
  package struct Hover: Sendable {
    /// The text to show, in Markdown.
    package var text: String
    /// The range that the information is about.
    package var span: TextSpan
  }

  /// Returns the information for the byte at `offset`, or nil if there is none.
  ///
  /// - Parameters:
  ///   - rank: Returns the position of each step in the order in which ready steps start, counted from 1.
  ///   - history: Returns statistics of a step's recorded durations.
  package func hover(
    at offset: Int, rank: (WorkflowGraph) -> [Int] = { _ in [] }, history: (String) -> StepHistory? = { _ in nil }
  ) -> Hover? {
    if let hover = expressionHover(at: offset) { return hover }
    guard let check, let tree, let (path, isKey, node) = location(at: offset) else { return nil }
    let span = tree.span(node)
    let keys = EditingLocation(path: path).keys
    if keys.count == 2, WorkflowKey.holdsSteps(keys[0]), isKey, let step = step(named: keys[1]) {
      return Hover(text: page(of: step, rank, history), span: span)
    }
    if isKey {
      switch slot(at: path) {
      case .shape(_, let page?) where page.name == keys.last: return Hover(text: page.page, span: span)
      case .type(_, let field?): return Hover(text: field.page, span: span)
      case .inputs: return Hover(text: StepKey.pages.first { $0.name == "with" }!.page, span: span)
      default: return nil
      }
    }
    guard let text = tree.text(of: node) else { return nil }
    switch slot(at: path) {
    case .shape(.actionName, _): return catalog.declaration(named: text).map { Hover(text: $0.page, span: span) }
    case .shape(.stepNames, _):
      return check.stepIndex(like: text).map { Hover(text: page(of: $0, rank, history), span: span) }
    case .shape(.eventNames, _), .shape(.eventName, _): return Hover(text: eventPage(text), span: span)
    case .shape(_, let page?): return Hover(text: page.page, span: span)
    case .type(_, let field?): return Hover(text: field.page, span: span)
    default: return nil
    }
  }

  // MARK: Steps and events

  private func page(
    of index: Int, _ rank: (WorkflowGraph) -> [Int], _ history: (String) -> StepHistory?
  ) -> String {
    guard let check else { return "" }
    let step = workflow.steps[index]
    let options = step.options
    var text = "**\(step.displayName)**: `\(step.uses)`\n"
    if let summary = check.actions.declaration(ofStep: index)?.summary { text += "\n\(summary)\n" }
    var rows: [String] = []
    if let graph = result.graph {
      let ranks = rank(graph)
      if ranks.indices.contains(index) {
        rows.append("has rank \(ranks[index]) of \(workflow.steps.count) when all steps are ready at once")
      }
    }
    let needs = step.needs.map { "`\(check.name(Int($0)))`" }
    rows.append(needs.isEmpty ? "needs no other step" : "needs \(needs.joined(separator: ", "))")
    if !options.after.isEmpty { rows.append("waits for \(options.after.map { "`\($0)`" }.joined(separator: ", "))") }
    switch check.roles?.deferral(of: StepIndex(index)) ?? .never {
    case .always: rows.append("starts after the gate has opened")
    case .byExpression: rows.append("may start only after the gate has opened")
    case .never: break
    }
    switch check.roles?.blocking(of: StepIndex(index)) ?? .always {
    case .always: rows.append("the gate waits for it")
    case .byExpression: rows.append("the gate may wait for it")
    case .never: rows.append("the gate does not wait for it")
    }
    if options.isOptional { rows.append("its failure is not a failure of the run") }
    if let estimate = options.estimate {
      let (low, high) = (DurationText.format(estimate.low), DurationText.format(estimate.high))
      rows.append("estimate \(low == high ? low : "\(low) to \(high)")")
    }
    if let history = history(step.id.text) { rows.append(history.words) }
    if let max = options.deadline?.max { rows.append("ends after at most \(DurationText.format(max))") }
    return text + "\n" + rows.map { "- \($0)\n" }.joined()
  }

  private func eventPage(_ name: String) -> String {
    guard let check else { return "" }
    var text = "**\(name)** (an event)"
    if let declared = workflow.events.first(where: { $0.name == name }) {
      text += "\n\n\(declared.summary.isEmpty ? "Comes from outside" : declared.summary)."
    } else if LifecycleEvent(rawValue: name) != nil {
      text += "\n\nAn event of the application's lifecycle."
    }
    let posters = workflow.steps.indices.filter { check.eventsPosted(by: $0).contains(name) }
    if !posters.isEmpty {
      text += "\n\nPosted by \(posters.prefix(20).map { "`\(check.name($0))`" }.joined(separator: ", "))."
    }
    return text
  }

  // MARK: Expressions

  /// Returns the information for a position in an expression: the type of a reference, the description of a function,
  /// or else the possible results of the expression. Returns nil outside expressions.
  private func expressionHover(at offset: Int) -> Hover? {
    guard let found = expression(at: offset), let check else { return nil }
    let (expression, start, site) = found
    let span = TextSpan(start, start + expression.source.utf8.count)
    if let reference = expression.references.first(where: {
      start + $0.offset <= offset && offset <= start + $0.offset + $0.length
    }) {
      let location = TextSpan(start + reference.offset, start + reference.offset + reference.length)
      let type = check.type(of: reference, site)
      var text = "`\(source.text(of: location))`: \(type?.words ?? "any")"
      if let field = field(of: reference), !field.summary.isEmpty { text += "\n\n\(field.summary)" }
      return Hover(text: text, span: location)
    }
    let inside = offset - start
    if let function = function(at: inside, in: Array(expression.source.utf8)) {
      return Hover(text: function.text, span: span)
    }
    var text = "`\(expression.source)`"
    if expression.references.isEmpty, !expression.usesStatusFunction,
      let value = try? expression.evaluate(in: FixedContext())
    {
      text += "\n\nIs always `\(JSONText.write(value))`."
    } else {
      let results = expression.possibleResults { check.type(of: $0, site) }.map { result in
        switch result {
        case .value(let value): "`\(JSONText.write(value))`"
        case .type(let type): type.words
        }
      }
      var seen: Set<String> = []
      text += "\n\nGives \(results.filter { seen.insert($0).inserted }.prefix(8).joined(separator: " or "))."
    }
    return Hover(text: text, span: span)
  }

  private func field(of reference: ContextReference) -> FieldDeclaration? {
    guard let check, let key = reference.path.first else { return nil }
    switch (reference.name.lowercased(), reference.path.count) {
    case ("inputs", 1): return check.inputs.field(like: key)
    case ("steps", 3) where reference.path[1].lowercased() == "outputs":
      return check.stepIndex(like: key).flatMap {
        FieldIndex(check.outputs(ofStep: $0)).field(like: reference.path[2])
      }
    default: return nil
    }
  }

  private func function(at offset: Int, in bytes: [UInt8]) -> FunctionPage? {
    func isLetter(_ location: Int) -> Bool {
      bytes.indices.contains(location) && bytes[location] | 0x20 >= UInt8(ascii: "a")
        && bytes[location] | 0x20 <= UInt8(ascii: "z")
    }
    var start = offset
    while isLetter(start - 1) { start -= 1 }
    var end = start
    while isLetter(end) { end += 1 }
    guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: "(") else { return nil }
    let name = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
    return FunctionPage.all.first { $0.name.lowercased() == name }
  }

  /// Returns the expression at `offset`, the offset where it begins, and its ``ExpressionSite``. Returns nil outside
  /// expressions.
  func expression(at offset: Int) -> (expression: Expression, start: Int, site: ExpressionSite)? {
    guard let tree, let (path, isKey, node) = location(at: offset), !isKey, let text = tree.text(of: node) else {
      return nil
    }
    let keys = EditingLocation(path: path).keys
    let step = keys.count > 1 && WorkflowKey.holdsSteps(keys[0]) ? step(named: keys[1]) : nil
    let key = keys.count > 2 && step != nil ? StepKey(rawValue: keys[2]) : nil
    let kind: ExpressionSite.Kind =
      switch key {
      case .condition: .condition
      case .enabled: .enabled
      case .deferral: .deferral
      case .env: .environment
      case .foreach: .foreach
      default: step == nil ? .outputs : isCalled(keys) ? .call : .with
      }
    let site = ExpressionSite(kind: kind, step: step, node: node)
    var expressions: [(offset: Int, expression: Expression)] = []
    if key == .condition || key == .enabled || key == .deferral {
      guard case .string? = tree.scalarValue(node), text != "idle" else { return nil }
      if let found = try? workflow.texts.condition(text) { expressions = [found] }
    } else if Template.containsExpression(text) {
      expressions = (try? workflow.texts.template(text))?.expressions ?? []
    }
    for (location, expression) in expressions {
      guard let start = tree.sourceOffset(of: tree.resolve(node), textOffset: location) else { continue }
      if start <= offset, offset <= start + expression.source.utf8.count { return (expression, start, site) }
    }
    return nil
  }
}

extension WorkflowDocument {
  /// Returns the file and the location that declare the name at `offset`, if an included file or an external plugin's
  /// manifest declares it. Returns nil for any other name.
  package func declaration(at offset: Int) -> (file: String, span: (SourceText) -> TextSpan)? {
    if let link = symbols()?.link(at: offset) {
      let path = path(of: link.file)
      return (
        path,
        { [installedCatalog] source in
          let document = WorkflowDocument(bytes: source.bytes, file: path, catalog: installedCatalog)
          return document.declaration(of: link.symbol)?.span ?? TextSpan(at: 0)
        }
      )
    }
    guard let tree, let (path, isKey, node) = location(at: offset), !isKey, let name = tree.text(of: node),
      case .shape(.actionName, _) = slot(at: path), let file = catalog.declaration(named: name)?.origin
    else { return nil }
    return (
      file,
      { source in
        PluginManifestLoader().load(bytes: source.bytes, file: file).actionSpans[name] ?? TextSpan(at: 0)
      }
    )
  }
}
