import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowCheck {
  /// Checks all expressions: their syntax, their references, and the types of their values.
  mutating func checkExpressions() {
    if let node = locations.value(.env) { checkTemplates(node, .workflowEnvironment, nil) }
    if let node = locations.value(.environmentFile) { checkEnvironmentFiles(node) }
    if let node = locations.value(.secrets) { checkTemplates(node, .secretSource, nil) }
    if let node = locations.value(.deadline) { checkGateExpressions(node) }
    if let node = locations.value(.outputs) { checkTemplates(node, .outputs, nil) }
    for step in workflow.steps.indices where !isSettled {
      let location = workflow.steps[step]
      if location.hasOptions { checkOptions(location.options, of: step) }
      if !location.with.isEmpty, location.with.contains(where: { $0.value.containsExpression }) { checkWith(of: step) }
    }
  }

  private mutating func checkOptions(_ options: StepOptions, of step: Int) {
    if let name = options.name, Template.containsExpression(name), let node = node(.name, of: step) {
      checkTemplate(ExpressionSite(kind: .name, step: step, node: node), fits: .any, owner: "name")
    }
    if options.condition != nil, let node = node(.condition, of: step) {
      checkCondition(ExpressionSite(kind: .condition, step: step, node: node))
    }
    if case .expression = options.enabled, let node = node(.enabled, of: step) {
      checkCondition(ExpressionSite(kind: .enabled, step: step, node: node))
    }
    if case .expression = options.deferral, let node = node(.deferral, of: step) {
      checkCondition(ExpressionSite(kind: .deferral, step: step, node: node))
    }
    if options.fanOut != nil { checkFanOutExpressions(of: step) }
    for key in [StepKey.inputsFrom, .produces] {
      if let node = node(key, of: step) { checkTemplates(node, .files(key), step) }
    }
    if !options.environment.isEmpty, let node = node(.env, of: step) { checkTemplates(node, .environment, step) }
  }

  private mutating func checkEnvironmentFiles(_ node: NodeID) {
    for element in tree.kind(node) == .sequence ? tree.elements(node) : [node] {
      let path =
        tree.kind(element) == .mapping ? tree.member(EnvironmentFileKey.path.rawValue, of: element)?.value : element
      guard let node = path, tree.kind(node) == .scalar else { continue }
      checkTemplate(ExpressionSite(kind: .environmentFile, step: nil, node: node), fits: .string, owner: "env-file")
    }
  }

  private mutating func checkGateExpressions(_ node: NodeID) {
    let nodes = tree.kind(node) == .mapping ? ["min", "max"].compactMap { tree.member($0, of: node)?.value } : [node]
    for node in nodes where tree.kind(node) == .scalar {
      checkTemplate(ExpressionSite(kind: .gate, step: nil, node: node), fits: .duration, owner: "deadline")
    }
  }

  /// Checks the expressions in all scalars below `node`. They may result in values of any type.
  mutating func checkTemplates(_ node: NodeID, _ kind: ExpressionSite.Kind, _ step: Int?) {
    switch tree.kind(node) {
    case .scalar, .alias:
      checkTemplate(ExpressionSite(kind: kind, step: step, node: node), fits: .any, owner: "")
    case .sequence: for element in tree.elements(node) { checkTemplates(element, kind, step) }
    case .mapping:
      var ignored: [Diagnostic] = []
      var members = tree.members(of: node, failures: &ignored)
      while let member = members.next(in: tree) { checkTemplates(member.value, kind, step) }
    }
  }

  // MARK: Inputs

  private mutating func checkWith(of step: Int) {
    let declaration = actions.declaration(ofStep: step)
    if let run = node(.run, of: step) {
      checkValue(run, fits: .any, .with, step, "the command")
      checkCommandText(run, step, declaration)
    }
    if let condition = node(.readyWhen, of: step) { checkValue(condition, fits: .any, .with, step, "'ready-when'") }
    guard let node = node(.with, of: step) else { return }
    var ignored: [Diagnostic] = []
    var members = tree.members(of: node, failures: &ignored)
    while let member = members.next(in: tree) {
      guard let name = tree.text(of: member.key), workflow.steps[step].with[name]?.containsExpression == true
      else { continue }
      let owner = declaration.map { "the input '\(name)' of '\($0.name)'" } ?? "the input '\(name)'"
      if let call = declaration?.calls, call.inputs == name {
        checkCallExpressions(member.value, step)
      } else {
        let input = declaration?.input(named: name)
        checkValue(
          member.value, fits: input?.type ?? .any, input?.isSecret == true ? .secretInput : .with, step, owner)
        if declaration?.shellTextInput == name { checkCommandText(member.value, step, declaration) }
      }
    }
  }

  /// Checks the inputs of an action that is called for each post. Their expressions can read the post.
  private mutating func checkCallExpressions(_ node: NodeID, _ step: Int) {
    guard tree.kind(node) == .mapping, let called = calledAction(of: step) else {
      return checkTemplates(node, .call, step)
    }
    var ignored: [Diagnostic] = []
    var members = tree.members(of: node, failures: &ignored)
    while let member = members.next(in: tree) {
      guard let name = tree.text(of: member.key) else { continue }
      let input = called.input(named: name)
      checkValue(
        member.value, fits: input?.type ?? .any, input?.isSecret == true ? .secretCallInput : .call, step,
        "the input '\(name)' of '\(called.name)'")
    }
  }

  /// Checks a value with expressions against its type. The elements of lists and mappings are checked one by one.
  private mutating func checkValue(
    _ node: NodeID, fits type: ValueType, _ kind: ExpressionSite.Kind, _ step: Int, _ owner: String
  ) {
    switch (tree.kind(node), type) {
    case (.scalar, _), (.alias, _):
      if isString(node), Template.containsExpression(tree.text(node)) {
        checkTemplate(ExpressionSite(kind: kind, step: step, node: node), fits: type, owner: owner)
      } else if let value = tree.scalarValue(node) {
        reportMismatch(type.mismatch(of: value), node, owner)
      }
    case (.sequence, .array(let element)):
      for child in tree.elements(node) { checkValue(child, fits: element, kind, step, owner) }
    case (.sequence, .any):
      for child in tree.elements(node) { checkValue(child, fits: .any, kind, step, owner) }
    case (.mapping, .object(let properties)): checkObject(node, properties, kind, step, owner)
    case (.mapping, .any): checkObject(node, nil, kind, step, owner)
    case (.sequence, _), (.mapping, _):
      reportMismatch(
        TypeMismatch(
          path: "", expected: type.expectation, found: tree.kind(node) == .sequence ? "a list" : "a mapping"),
        node, owner)
      checkTemplates(node, kind, step)
    }
  }

  private mutating func checkObject(
    _ node: NodeID, _ properties: [FieldDeclaration]?, _ kind: ExpressionSite.Kind, _ step: Int, _ owner: String
  ) {
    var ignored: [Diagnostic] = []
    var members = tree.members(of: node, failures: &ignored)
    var names: Set<String> = []
    while let member = members.next(in: tree) {
      guard let name = tree.text(of: member.key) else { continue }
      names.insert(name)
      let property = properties?.first { $0.name == name }
      if let properties, property == nil {
        report(
          .inputType, "\(owner) is invalid: there is no key '\(name)'", at: tree.span(member.key),
          correction: correction(name, among: properties.map(\.name)))
      }
      checkValue(member.value, fits: property?.type ?? .any, kind, step, owner)
    }
    for property in properties ?? [] where property.isRequired && !names.contains(property.name) {
      report(
        .inputType, "\(owner) is invalid: the key '\(property.name)' is missing", at: tree.span(node),
        help: "'\(property.name)' is \(property.type.expectation)")
    }
  }

  private mutating func reportMismatch(_ mismatch: TypeMismatch?, _ node: NodeID, _ owner: String) {
    guard let mismatch = mismatch.map({ spelled($0, node) }) else { return }
    report(
      .inputType, "\(owner) is invalid: \(mismatch.description)",
      at: tree.span(tree.kind(node) == .scalar ? node : tree.node(at: mismatch.path, in: node)), help: mismatch.help)
  }

  // MARK: A single scalar

  private mutating func checkCondition(_ site: ExpressionSite) {
    do throws(ExpressionError) {
      let (offset, expression) = try workflow.texts.condition(tree.text(site.node))
      check(expression, at: offset, site)
      if site.kind == .condition, let step = site.step { checkReachability(expression, step, site) }
    } catch {
      report(error, site)
    }
  }

  private mutating func checkTemplate(_ site: ExpressionSite, fits type: ValueType, owner: String) {
    guard isString(site.node) else { return }
    let text = tree.text(site.node)
    guard Template.containsExpression(text) else { return }
    do throws(ExpressionError) {
      let template = try workflow.texts.template(text)
      for (offset, expression) in template.expressions { check(expression, at: offset, site) }
      if !template.isSingleExpression { checkParts(template, site) }
      let mismatch =
        template.isSingleExpression
        ? template.expressions[0].expression.mismatch(with: type) { self.type(of: $0, site) }
        : PossibleResult.type(.string).mismatch(with: type)
      if let mismatch {
        let (offset, source) =
          template.isSingleExpression
          ? (template.expressions[0].offset, template.expressions[0].expression.source) : (0, text)
        report(
          .expressionType, "\(owner) is invalid: the expression may give \(mismatch.found)",
          at: span(site, offset: offset, length: source.utf8.count, of: source),
          help: mismatch.help ?? "expected \(mismatch.expected)")
      }
    } catch {
      report(error, site)
    }
  }

  /// Reports the expressions in a longer string that may result in an array or an object, which only an expression that
  /// is the whole string may.
  private mutating func checkParts(_ template: Template, _ site: ExpressionSite) {
    for (offset, expression) in template.expressions {
      let results = expression.possibleResults { self.type(of: $0, site) }
      guard let kind = results.lazy.compactMap(\.nestedKind).first else { continue }
      report(
        .expressionType, "the expression may give \(kind), which cannot be part of a longer string",
        at: span(site, offset: offset, length: expression.source.utf8.count, of: expression.source),
        help: "write toJSON(\(expression.source)), or nothing around the ${{ }}")
    }
  }

  private mutating func check(_ expression: Expression, at offset: Int, _ site: ExpressionSite) {
    if site.kind != .condition, let function = expression.statusFunctions.map(\.rawValue).min() {
      report(
        .contextUnavailable, "\(function)() can only be called in 'if'",
        at: span(site, offset: offset, length: expression.source.utf8.count, of: expression.source),
        help: "steps.<id>.outcome is the result of a step")
    }
    checkComparisons(expression, at: offset, site)
    for reference in expression.references {
      let location = span(site, offset: offset + reference.offset, length: reference.length, of: expression.source)
      check(reference, site, at: location)
    }
  }

  private mutating func report(_ error: ExpressionError, _ site: ExpressionSite) {
    report(
      .expressionSyntax, error.message,
      at: span(site, offset: error.offset, length: error.length, of: tree.text(site.node)), help: error.help,
      correction: error.correction)
  }

  /// Returns the file location of a part of a scalar. If an escape or a line break makes that impossible, returns the
  /// location of the whole scalar.
  func span(_ site: ExpressionSite, offset: Int, length: Int, of source: String) -> TextSpan {
    let whole = tree.span(site.node)
    if let start = tree.sourceOffset(of: site.node, textOffset: offset) {
      return TextSpan(start, min(start + length, whole.end))
    }
    return whole
  }

  // MARK: Reachability

  /// Reports a step that never runs because its `if` is never true, or because the `if` is `failure()` and the step has
  /// no dependencies.
  private mutating func checkReachability(_ expression: Expression, _ step: Int, _ site: ExpressionSite) {
    let results = expression.possibleResults { self.type(of: $0, site) }
    let isNeverTrue = results.allSatisfy { if case .value(let value) = $0 { value.countsAsFalse } else { false } }
    let needsFailure =
      workflow.steps[step].needs.isEmpty && expression.source == "\(StatusFunction.failure.rawValue)()"
    guard isNeverTrue || needsFailure else { return }
    report(
      .unreachableStep,
      "step '\(name(step))' never runs: \(needsFailure ? "none of its dependencies can fail" : "its 'if' is never true")",
      at: tree.span(site.node),
      help: needsFailure
        ? "list the steps whose failure it handles under 'needs'" : "to disable a step write 'enabled: false'")
  }
}

extension PossibleResult {
  /// The kind of a result that contains other values, or nil for one that does not.
  fileprivate var nestedKind: String? {
    switch self {
    case .type(.array), .value(.array): "an array"
    case .type(.object), .value(.object): "an object"
    default: nil
    }
  }
}

extension Value {
  /// True if an `if` with this result skips the step.
  fileprivate var countsAsFalse: Bool {
    switch self {
    case .null, .boolean(false), .integer(0): true
    case .number(let number): number == 0 || number.isNaN
    case .string(let text): text.isEmpty
    default: false
    }
  }
}
