import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowCheck {
  /// Checks `with` against the action's declaration: the names, the required inputs, and the types of literals. Then
  /// runs the check that the action itself provides.
  mutating func checkInputs() {
    for step in workflow.steps.indices {
      guard let entry = actions.entry(ofStep: step), let declaration = entry.declaration else { continue }
      if entry.isPlain && workflow.steps[step].with.isEmpty { continue }
      if isSettled { return }
      checkInputs(workflow.steps[step].with, at: node(.with, of: step), of: step, declaration)
    }
  }

  /// Checks the inputs of an action. `mapping` is the node that contains them.
  mutating func checkInputs(
    _ with: ValueObject, at mapping: NodeID?, of step: Int, _ declaration: ActionDeclaration
  ) {
    var literals = ValueObject()
    // Inputs that are missing or have a wrong type are not passed to the action's own check.
    var reported: Set<String> = []
    let byName = with.count > 16 ? mapping.map { members(of: $0) } : nil
    for (name, value) in with {
      if isSettled { return }
      let member =
        byName.map { $0[name] } ?? mapping.flatMap { tree.member(name, of: $0) } ?? shorthand(for: name, of: step)
      let location = member.map { tree.span($0.key) } ?? idSpan(step)
      guard let field = declaration.input(named: name) else {
        reportUnknownInput(name, declaration, at: location)
        continue
      }
      if value.containsExpression { continue }
      if value.isNull, !field.isRequired, !field.refusesNull { continue }
      if var mismatch = field.type.mismatch(of: value) {
        if let part = member.map({ tree.node(at: mismatch.path, in: $0.value) }) { mismatch = spelled(mismatch, part) }
        report(
          .inputType, "the input '\(name)' of '\(declaration.name)' is invalid: \(mismatch.description)",
          at: member.map { tree.span(tree.node(at: mismatch.path, in: $0.value)) } ?? location,
          related: declarationLocation(of: name, step),
          help: value.isNull && field.refusesNull ? field.nullHelp : mismatch.help)
        reported.insert(name)
      } else {
        literals[name] = value
      }
    }
    for field in declaration.inputs where field.isRequired && with[field.name] == nil {
      report(
        .missingInput, "step '\(name(step))' lacks the input '\(field.name)' of '\(declaration.name)'",
        at: span(.uses, of: step), related: declarationLocation(of: field.name, step),
        help: "'\(field.name)' is \(field.type.expectation)" + Self.summary(of: field),
        missingName: field.name)
      reported.insert(field.name)
    }
    let problems = catalog.problems(with: LiteralInput(literals), of: declaration.name)
      .filter { !reported.contains(String($0.keyPath.prefix { $0 != "." && $0 != "[" })) }
    report(problems, of: step, mapping)
  }

  /// Returns the members of a mapping by name, so that large mappings are not searched once for each input.
  private func members(of mapping: NodeID) -> [String: MemberCursor.Member] {
    var result: [String: MemberCursor.Member] = [:]
    var ignored: [Diagnostic] = []
    var members = tree.members(of: mapping, failures: &ignored)
    while let member = members.next(in: tree) {
      if let name = tree.text(of: member.key), result[name] == nil { result[name] = member }
    }
    return result
  }

  /// Returns the location where an included file declares an input. Returns an empty list if the step does not use a
  /// file, or if the file does not declare the input.
  func declarationLocation(of name: String, _ step: Int) -> [Diagnostic.RelatedLocation] {
    let uses = workflow.steps[step].uses
    guard IncludeLibrary.isFile(uses), let includes = catalog as? IncludeCatalog else { return [] }
    return [includes.library.entry(uses, stack: includes.stack).inputLocations[name]].compactMap { $0 }
  }

  private static func summary(of field: FieldDeclaration) -> String {
    field.summary.isEmpty ? "" : ": \(field.summary)"
  }

  private mutating func reportUnknownInput(_ name: String, _ declaration: ActionDeclaration, at span: TextSpan) {
    let names = declaration.inputs.map(\.name)
    let moved = catalog.newAction(of: name, in: declaration.name)
    let correction = moved == nil ? Correction(name, among: names) : nil
    report(
      .unknownInput, "'\(declaration.name)' has no input '\(name)'", at: span,
      help: moved.map { "it is now an input of '\($0)'" } ?? (correction.map { $0.question + " " } ?? "")
        + (names.isEmpty ? "it takes none" : "it has \(Self.list(names))"),
      correction: correction)
  }

  /// Reports the problems found by the action's own check. Their key paths are converted to locations.
  private mutating func report(_ problems: [InputProblem], of step: Int, _ mapping: NodeID?) {
    for problem in problems {
      func location(_ path: String) -> TextSpan {
        let input = path.prefix { $0 != "." && $0 != "[" }
        if let member = shorthand(for: String(input), of: step) {
          return tree.span(tree.node(at: String(path[input.endIndex...]), in: member.value))
        }
        return mapping.map { tree.span(tree.node(at: path, in: $0)) } ?? span(.uses, of: step)
      }
      report(
        problem.isWarning ? .inputDoubtful : .inputRejected, problem.message, at: location(problem.keyPath),
        related: problem.related.map { [.init(location($0.keyPath), $0.label)] } ?? [], help: problem.help,
        correction: problem.correction)
    }
  }
}

extension NodeTree {
  /// Returns the node at a key path such as `routes[3].pattern`, or the deepest node on this path that exists.
  func node(at path: String, in root: NodeID) -> NodeID {
    var current = root
    var rest = path[...]
    while !rest.isEmpty {
      let next: NodeID?
      if rest.first == "[", let close = rest.firstIndex(of: "]") {
        let index = Int(rest[rest.index(after: rest.startIndex)..<close]) ?? -1
        let elements = kind(current) == .sequence ? elements(current) : []
        next = elements.indices.contains(index) ? elements[index] : nil
        rest = rest[rest.index(after: close)...]
      } else {
        if rest.first == "." { rest = rest.dropFirst() }
        // A key may contain periods, so the longest matching key is used.
        var end = rest.endIndex
        var found: NodeID?
        while end > rest.startIndex {
          found = member(String(rest[..<end]), of: current)?.value
          if found != nil { break }
          end = rest[..<end].lastIndex { $0 == "." || $0 == "[" } ?? rest.startIndex
        }
        next = found
        rest = rest[end...]
      }
      guard let next else { return current }
      current = next
    }
    return current
  }
}
