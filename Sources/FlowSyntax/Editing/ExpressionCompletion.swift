import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Completes expressions with contexts, their members, outputs of dependencies, and functions.
struct ExpressionCompletion {
  let document: WorkflowDocument
  let location: EditingLocation
  /// The offset in the file where the expression begins.
  let start: Int
  let bytes: [UInt8]

  func completions() -> [Completion] {
    let typed = bytes[start..<max(start, location.offset)]
    // There are no completions inside a string literal.
    if typed.count(where: { $0 == UInt8(ascii: "'") }) % 2 == 1 { return [] }
    var wordStart = location.offset
    while wordStart > start, bytes[wordStart - 1].isNamePart, bytes[wordStart - 1] != UInt8(ascii: "/") {
      wordStart -= 1
    }
    let parts = String(decoding: bytes[wordStart..<location.offset], as: UTF8.self)
      .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let last = parts.last ?? ""
    var end = location.offset
    while end < bytes.count, bytes[end].isNamePart, bytes[end] != UInt8(ascii: "."), bytes[end] != UInt8(ascii: "/") {
      end += 1
    }
    let span = TextSpan(location.offset - last.utf8.count, end)
    return parts.count > 1 ? members(of: Array(parts.dropLast()), span) : names(span)
  }

  private func names(_ span: TextSpan) -> [Completion] {
    let kind = siteKind
    let contexts = contexts(kind).map {
      Completion(label: $0, kind: .context, detail: ContextKey.summary(ofContext: $0), span: span)
    }
    let functions = FunctionPage.all.filter { !$0.isStatusFunction || kind == .condition }.map {
      Completion(
        label: $0.name, kind: .function, detail: $0.signature, documentation: $0.text,
        snippet: $0.isStatusFunction ? "\($0.name)()" : "\($0.name)($1)", span: span)
    }
    return contexts + functions
  }

  private func members(of path: [String], _ span: TextSpan) -> [Completion] {
    let context = path[0].lowercased()
    guard contexts(siteKind).contains(context) else { return [] }
    switch (context, path.count) {
    case ("inputs", 1):
      return document.workflow.inputs.map { field($0, span) }
    case ("secrets", 1):
      return document.workflow.secrets.map { Completion(label: $0.name, kind: .output, detail: "secret", span: span) }
    case ("inputs", 2...):
      guard let input = document.check?.inputs.field(like: path[1]) else { return [] }
      return properties(of: input.type, path.dropFirst(2), span)
    case (ItemContext.item, 1...):
      guard let type = own.flatMap({ document.check?.itemType(of: $0) }) else { return [] }
      return properties(of: type, path.dropFirst(), span)
    case ("env", 1):
      let stated = own.map { document.workflow.steps[$0].options.environment.keys } ?? []
      let names = stated + document.workflow.environment.keys.filter { !stated.contains($0) }
      return names.map { Completion(label: $0, kind: .output, span: span) }
    case ("steps", 1): return steps(span)
    case ("steps", 2):
      return ContextKey.all(of: "steps").map { Completion(label: $0.name, kind: .key, detail: $0.summary, span: span) }
    case ("steps", 3...) where path[2].lowercased() == "outputs": return outputs(path, span)
    case (_, 1):
      return ContextKey.all(of: context).map { Completion(label: $0.name, kind: .key, detail: $0.summary, span: span) }
    default: return []
    }
  }

  private func field(_ field: FieldDeclaration, _ span: TextSpan) -> Completion {
    Completion(
      label: field.name, kind: .output, detail: field.type.words, documentation: field.page, span: span)
  }

  private func properties(of type: ValueType, _ path: ArraySlice<String>, _ span: TextSpan) -> [Completion] {
    guard case .object(let properties?) = type else { return [] }
    guard let key = path.first else { return properties.map { field($0, span) } }
    guard let property = properties.first(where: { $0.name.lowercased() == key.lowercased() }) else { return [] }
    return self.properties(of: property.type, path.dropFirst(), span)
  }

  /// The steps that the expression can read. In an output of the workflow these are all steps; otherwise the step's
  /// direct and indirect dependencies.
  private var readable: [Int] {
    guard let own else { return Array(document.workflow.steps.indices) }
    return document.stepsBefore(own).sorted()
  }

  private func steps(_ span: TextSpan) -> [Completion] {
    readable.map {
      let step = document.workflow.steps[$0]
      return Completion(label: step.id.text, kind: .step, detail: step.uses, span: span)
    }
  }

  private func outputs(_ path: [String], _ span: TextSpan) -> [Completion] {
    guard let target = document.step(named: path[1]), readable.contains(target),
      let declaration = document.check?.actions.declaration(ofStep: target)
    else { return [] }
    let declared = declaration.outputs(declaredBy: document.workflow.steps[target].with)
    guard path.count == 3 else {
      return FieldIndex(declared).field(like: path[3]).map { properties(of: $0.type, path.dropFirst(4), span) } ?? []
    }
    var proposals = declared.map { field($0, span) }
    if let input = declaration.outputsFromInput,
      case .object(let members)? = document.workflow.steps[target].with[input]
    {
      proposals += members.keys.map {
        Completion(label: $0, kind: .output, detail: "given under '\(input)'", span: span)
      }
    }
    return proposals
  }

  // MARK: The place of the expression

  /// The step that contains the expression, or nil.
  private var own: Int? {
    let keys = location.keys
    return keys.count > 1 && WorkflowKey.holdsSteps(keys[0]) ? document.step(named: keys[1]) : nil
  }

  private var siteKind: ExpressionSite.Kind {
    let keys = location.keys
    switch keys.first.flatMap(WorkflowKey.init(rawValue:)) {
    case .env: return .workflowEnvironment
    case .environmentFile: return .environmentFile
    case .secrets: return .secretSource
    case .deadline: return .gate
    case .outputs: return .outputs
    default: break
    }
    switch keys.count > 2 ? StepKey(rawValue: keys[2]) : nil {
    case .condition: return .condition
    case .enabled: return .enabled
    case .deferral: return .deferral
    case .env: return .environment
    case .foreach: return .foreach
    case .inputsFrom: return .files(.inputsFrom)
    case .produces: return .files(.produces)
    case .name: return .name
    default: break
    }
    if document.isCalled(keys) { return .call }
    let declaration = keys.count > 3 ? document.declaration(ofStepNamed: keys[1]) : nil
    return declaration?.input(named: keys[3])?.isSecret == true ? .secretInput : .with
  }

  private func contexts(_ kind: ExpressionSite.Kind) -> [String] {
    let isDeferred = own.flatMap { document.check?.mayBeDeferred($0) } ?? false
    let hasItems = own.map { document.workflow.steps[$0].options.fanOut != nil } ?? false
    return ExpressionSite(kind: kind, step: own, node: 0).contexts(isDeferred: isDeferred, hasItems: hasItems)
  }
}
