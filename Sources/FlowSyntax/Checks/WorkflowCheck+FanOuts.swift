import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Checks fan-outs: whether the action allows one, whether the items are a list, and the expressions in `foreach`.
extension WorkflowCheck {
  mutating func checkFanOuts() {
    for step in workflow.steps.indices {
      guard workflow.steps[step].hasOptions, workflow.steps[step].options.fanOut != nil, !isSettled,
        let declaration = actions.declaration(ofStep: step)
      else { continue }
      // The reader has already reported a command service with `foreach`.
      if declaration.isService, !declaration.isCommandService {
        reportFanOut(
          step, "'\(declaration.name)' is a service, which never returns, so there can be only one", declaration)
      } else if let handle = declaration.provides.first {
        reportFanOut(
          step, "'\(declaration.name)' provides '\(handle)', and a step provides a handle only once", declaration)
      }
    }
  }

  private mutating func reportFanOut(_ step: Int, _ message: String, _ declaration: ActionDeclaration) {
    report(
      .conflictingKeys, "step '\(name(step))' cannot have 'foreach': \(message)", at: span(.foreach, of: step),
      related: [.init(span(.uses, of: step), "it uses '\(declaration.name)' here")],
      help: "write a step for each, or put 'foreach' on a step that depends on this one")
  }

  /// Checks the references in the expressions of `foreach`, and that the expressions result in lists.
  mutating func checkFanOutExpressions(of step: Int) {
    guard let fanOut = workflow.steps[step].options.fanOut, let node = node(.foreach, of: step) else { return }
    func inside(_ key: ForeachKey) -> NodeID? { tree.member(key.rawValue, of: node)?.value }
    switch fanOut.source {
    case .posts(let event): checkPosts(of: event, step, inside(.event) ?? node)
    case .files: if let node = inside(.files) { checkTemplates(node, .foreach, step) }
    case .items(.array(let values)) where !values.contains(where: \.containsExpression): break
    case .items:
      checkItems(tree.kind(node) == .mapping ? inside(.items) ?? node : node, of: step, allowsObject: true)
    case .axes:
      if let axes = inside(.axes), tree.kind(axes) == .mapping {
        var ignored: [Diagnostic] = []
        var members = tree.members(of: axes, failures: &ignored)
        while let member = members.next(in: tree) { checkItems(member.value, of: step, allowsObject: false) }
      }
      for key in [ForeachKey.exclude, .include] { if let node = inside(key) { checkTemplates(node, .foreach, step) } }
    }
  }

  /// Reports an event of `foreach` that is not a literal or is never posted, or that does not repeat and therefore
  /// cannot have an item for each post.
  private mutating func checkPosts(of event: String, _ step: Int, _ node: NodeID) {
    if event.isEmpty || workflow.events.contains(where: { $0.name == event && $0.repeats }) { return }
    if Value.string(event).containsExpression {
      return report(
        .eventNotLiteral, "the event of foreach of step '\(name(step))' must be a literal", at: tree.span(node),
        help: "write one step for each event, with 'if' where it depends on something")
    }
    reportFollowed(event, "step '\(name(step))' runs for the posts of '\(event)'", at: tree.span(node), .wrongType)
  }

  private mutating func checkItems(_ node: NodeID, of step: Int, allowsObject: Bool) {
    let before = diagnostics.count
    checkTemplates(node, .foreach, step)
    guard diagnostics.count == before, tree.kind(node) == .scalar || tree.kind(node) == .alias, isString(node),
      let template = try? workflow.texts.template(tree.text(node)), template.isSingleExpression
    else { return }
    let site = ExpressionSite(kind: .foreach, step: step, node: node)
    let expression = template.expressions[0].expression
    let results = expression.possibleResults { self.type(of: $0, site) }
    let isList = { (result: PossibleResult) in
      result.mismatch(with: .array(of: .any)) == nil
        || (allowsObject && result.mismatch(with: .object(properties: nil)) == nil)
    }
    guard let wrong = results.first(where: { !isList($0) }) else { return }
    let found = wrong.mismatch(with: .array(of: .any))?.found ?? ""
    report(
      .expressionType, "foreach of step '\(name(step))' is invalid: the expression may give \(found)",
      at: tree.span(node),
      help: "expected a list" + (allowsObject ? " or an object" : "")
        + (found == "a string" ? "; lines(…) makes one of a text, fromJSON(…) of JSON" : ""))
  }

  // MARK: Types

  /// Returns the type of a step's items. Returns nil if the step is not a fan-out, or if declarations and literals do
  /// not determine the type.
  func itemType(of step: Int) -> ValueType? {
    guard let fanOut = workflow.steps[step].options.fanOut else { return nil }
    switch fanOut.source {
    case .items(let value): return elementType(of: value, step)
    case .axes(let axes, _, let include):
      guard !include.isEmpty else {
        return .object(
          properties: axes.map { FieldDeclaration($0.key, elementType(of: $0.value, step) ?? .any) })
      }
      // A combination that is listed separately may lack some keys of the axes, and its values may have other types.
      var names: [String] = []
      for name in axes.keys + include.flatMap({ $0.objectValue?.keys ?? [] }) where !names.contains(name) {
        names.append(name)
      }
      return .object(properties: names.map { FieldDeclaration($0, .any) })
    case .files: return .object(properties: FileItem.fields)
    case .posts(let event): return Self.postType(valueType(of: event) ?? .any)
    }
  }

  /// Returns the type of an `item` or `event` that is a post with a value of the given type.
  private static func postType(_ value: ValueType) -> ValueType {
    .object(
      properties: [
        FieldDeclaration("name", .string), FieldDeclaration("number", .integer), FieldDeclaration("at", .number),
        FieldDeclaration("value", value),
      ])
  }

  /// Returns true if the items of a step have keys, false if they do not, and nil if that is only known during the run.
  func itemsHaveKeys(_ step: Int) -> Bool? {
    guard let fanOut = workflow.steps[step].options.fanOut, case .items(let value) = fanOut.source else { return false }
    switch value {
    case .array: return false
    case .object: return true
    default:
      guard let type = listType(of: value, step) else { return nil }
      switch type {
      case .array: return false
      case .object: return true
      default: return nil
      }
    }
  }

  private func elementType(of list: Value, _ step: Int) -> ValueType? {
    switch list {
    case .array(let values): return Self.common(values)
    case .object(let members): return Self.common(members.map(\.value))
    default:
      switch listType(of: list, step) {
      case .array(let element): return element
      case .object(let properties?):
        let types = Set(properties.map(\.type))
        return types.count == 1 ? types.first : nil
      default: return nil
      }
    }
  }

  /// Returns the type of the value that a single expression results in, or nil if the type is not certain.
  private func listType(of text: Value, _ step: Int) -> ValueType? {
    guard case .string(let text) = text, let template = try? workflow.texts.template(text), template.isSingleExpression,
      let node = node(.foreach, of: step)
    else { return nil }
    let site = ExpressionSite(kind: .foreach, step: step, node: node)
    let results = template.expressions[0].expression.possibleResults { self.type(of: $0, site) }
    guard results.count == 1, case .type(let type) = results[0] else { return nil }
    return type
  }

  /// Returns the common type of the values in a list, or nil if the list is empty, their types differ or one is not
  /// certain.
  private static func common(_ values: [Value]) -> ValueType? {
    var common: ValueType?
    for value in values {
      guard let type = type(of: value), common == nil || common == type else { return nil }
      common = type
    }
    return common
  }

  /// Returns the type of a literal, or nil for null, lists and expressions.
  static func type(of value: Value) -> ValueType? {
    switch value {
    case .boolean: return .boolean
    case .integer: return .integer
    case .number: return .number
    case .string: return value.containsExpression ? nil : .string
    case .object(let members):
      var properties: [FieldDeclaration] = []
      for (key, member) in members { properties.append(FieldDeclaration(key, type(of: member) ?? .any)) }
      return .object(properties: properties)
    case .null, .array: return nil
    }
  }
}
