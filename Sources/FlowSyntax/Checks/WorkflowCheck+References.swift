import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Checks references in expressions. The value must exist, must be readable at that location, and must be known when
/// the expression is evaluated.
extension WorkflowCheck {
  mutating func check(_ reference: ContextReference, _ site: ExpressionSite, at location: TextSpan) {
    let name = reference.name.lowercased()
    let isDeferred = site.step.map { mayBeDeferred($0) } ?? false
    let hasItems = site.step.map { workflow.steps[$0].options.fanOut != nil } ?? false
    if isSecret(reference), !checkSecret(reference, site, at: location) { return }
    let allowed = site.contexts(isDeferred: isDeferred, hasItems: hasItems)
    guard allowed.contains(name) else {
      let known = allowed.map { "'\($0)'" }.joined(separator: ", ")
      let isItem = name == "event" && site.step.map { workflow.steps[$0].options.fanOut?.event != nil } ?? false
      report(
        .contextUnavailable, "'\(name)' cannot be read in '\(site.name)'", at: location,
        help: isItem
          ? "in a step with 'foreach: { event: … }' the post is 'item'"
          : Self.whereKnown[name] ?? "available here are \(known)")
      return
    }
    switch name {
    case "inputs": checkInputReference(reference, at: location)
    case "env": checkVariable(reference, site, at: location)
    case "launch":
      checkMember(reference, of: ContextKey.names(of: name), at: location)
      if let step = site.step, workflow.steps[step].options.prewarm {
        report(
          .prewarmReadsLaunch, "step '\(self.name(step))' may run before activation, when 'launch' does not exist yet",
          at: location,
          related: node(.prewarm, of: step).map { [.init(tree.span($0), "it may run before activation")] } ?? [],
          help: "remove 'prewarm', so that the step runs after activation")
      }
    case "run", "gate", "event":
      checkMember(reference, of: ContextKey.names(of: name), at: location)
      if name == "run" { checkRunSoFar(reference, site, at: location) }
    case "steps": checkStepReference(reference, site, at: location)
    case "events": checkEventReference(reference, site, at: location)
    case ItemContext.item, ItemContext.key: checkItemReference(reference, site, at: location)
    default: break
    }
  }

  /// Explains for each restricted context which steps can read it.
  private static let whereKnown = [
    "gate": "only a deferred step knows how the gate opened",
    ItemContext.item: "only a step with 'foreach' has items, in 'with', 'env', 'if', 'inputs-from' and 'produces'",
    ItemContext.index: "only a step with 'foreach' has items, in 'with', 'env', 'if', 'inputs-from' and 'produces'",
    ItemContext.key: "only a step with 'foreach' has items, in 'with', 'env', 'if', 'inputs-from' and 'produces'",
    "event": "only an action that is called for each post of an event has it, as in flow.on",
  ]

  private mutating func checkItemReference(
    _ reference: ContextReference, _ site: ExpressionSite, at location: TextSpan
  ) {
    guard let step = site.step else { return }
    if reference.name.lowercased() == ItemContext.key {
      guard itemsHaveKeys(step) == false else { return }
      report(
        .unknownMember, "the items of step '\(name(step))' are a list, which has no keys", at: location,
        help: "'index' is the number of the item")
    } else if let member = reference.path.first, case .object(let properties?)? = itemType(of: step),
      !properties.contains(where: { $0.name.lowercased() == member.lowercased() })
    {
      report(
        .unknownMember, "an item of step '\(name(step))' has no member '\(member)'", at: location,
        correction: correction(member, among: properties.map(\.name)),
        otherwise: "it has \(Self.list(properties.map(\.name)))")
    }
  }

  private mutating func checkInputReference(_ reference: ContextReference, at location: TextSpan) {
    guard let input = reference.path.first, inputs.field(like: input) == nil else { return }
    let names = workflow.inputs.map(\.name)
    report(
      .undeclaredInput, "the workflow declares no input '\(input)'", at: location,
      correction: correction(input, among: names),
      otherwise: names.isEmpty ? "declare it under 'inputs'" : "there are \(Self.list(names))")
  }

  /// Reports a reference to the result of the run outside `finally`, where other steps may not have finished.
  private mutating func checkRunSoFar(_ reference: ContextReference, _ site: ExpressionSite, at location: TextSpan) {
    guard let member = reference.path.first?.lowercased(), ContextKey.ofFinalSteps.contains(member),
      !(site.step.map { workflow.steps[$0].options.isFinal } ?? false)
    else { return }
    report(
      .contextUnavailable, "'run.\(member)' can only be read in a step of 'finally'", at: location,
      help: "steps.<id>.outcome is the result of one step")
  }

  private mutating func checkMember(_ reference: ContextReference, of members: [String], at location: TextSpan) {
    guard let member = reference.path.first, !members.contains(member.lowercased()) else { return }
    report(
      .unknownMember, "'\(reference.name)' has no member '\(member)'", at: location,
      correction: Correction(member, among: members), otherwise: "it has \(Self.list(members))")
  }

  private mutating func checkStepReference(_ reference: ContextReference, _ site: ExpressionSite, at location: TextSpan)
  {
    guard let id = reference.path.first else { return }
    guard let target = stepIndex(like: id) else {
      report(
        .unknownStep, "'steps.\(id)' is not a step", at: location,
        correction: correction(id, among: workflow.steps.lazy.map(\.id.text)))
      return
    }
    if let step = site.step, graph != nil, !reaches(target, from: step) {
      let isSelf = target == step
      report(
        .stepOutOfReach,
        isSelf
          ? "step '\(name(step))' reads itself"
          : "step '\(name(step))' reads '\(name(target))' but does not depend on it",
        at: location, related: isSelf ? [] : [.init(idSpan(target), "'\(name(target))' is defined here")],
        help: isSelf
          ? "its outputs exist only after it has finished"
          : workflow.steps[target].options.isFinal && !workflow.steps[step].options.isFinal
            ? "it is in 'finally', which runs when all steps have finished"
            : "add '\(name(target))' to its dependencies"
      )
      return
    }
    if reference.path.count == 1, !reference.isWhole, workflow.steps[target].options.fanOut != nil {
      return report(
        .unknownMember, "'steps.\(id)' is one step, whose items cannot be read by an index", at: location,
        help: "its outputs are arrays with one element per item: steps.\(id).outputs.NAME[0]")
    }
    guard reference.path.count > 1 else { return }
    let member = reference.path[1]
    let members = ContextKey.names(of: "steps")
    guard members.contains(member.lowercased()) else {
      report(
        .unknownMember, "'steps.\(id)' has no member '\(member)'", at: location,
        correction: Correction(member, among: members),
        otherwise: "it has \(Self.list(members)); outputs are read as steps.\(id).outputs.\(member)")
      return
    }
    if member.lowercased() == "products" { return checkProductsReference(to: target, at: location) }
    guard member.lowercased() == "outputs", reference.path.count > 2 else { return }
    guard checkOutput(reference.path[2], of: target, at: location) else { return }
    let before = diagnostics.count
    checkPresence(of: target, for: site, hasFallback: reference.hasFallback, at: location)
    if diagnostics.count == before { checkDeclaredOutput(reference, of: target, for: site, at: location) }
  }

  /// Reports a reference to the products of a step that has no `produces`.
  private mutating func checkProductsReference(to target: Int, at location: TextSpan) {
    guard workflow.steps[target].options.produces.isEmpty else { return }
    let isFile = actions.declaration(ofStep: target).map { workflow.includes[$0.name] != nil } ?? false
    report(
      .unknownMember, "step '\(name(target))' has no products", at: location,
      related: [.init(idSpan(target), "it has no 'produces'")],
      help: isFile
        ? "declare an output of the included file with the products of its step"
        : "list the files that it makes under 'produces'")
  }

  /// Reports an output that the step `target` does not have. Returns true if the output is declared or may exist.
  /// Returns false, without a report, if the action is unknown or no more diagnostics are needed.
  private mutating func checkOutput(_ output: String, of target: Int, at location: TextSpan) -> Bool {
    guard let declaration = actions.declaration(ofStep: target) else { return false }
    let declared = outputs(ofStep: target)
    if output.lowercased() == "stderr", workflow.steps[target].with[StepKey.mergeOutput.rawValue] == .boolean(true) {
      report(
        .unknownOutput, "'\(name(target))' has no output 'stderr', because it has 'merge-output'", at: location,
        related: [.init(span(.mergeOutput, of: target), "it is set here")], help: "read 'stdout', which has all of it")
      return false
    }
    if ["stdout", "stderr"].contains(output.lowercased()), isInteractive(target) {
      report(
        .unknownOutput, "'\(name(target))' has no output '\(output)', because it has the terminal", at: location,
        related: whyInteractive(target),
        help: "let its command write what others read to FLOWRUN_OUTPUT, or to a file")
      return false
    }
    if FieldIndex(declared).field(like: output) != nil { return true }
    // Once the maximum number of diagnostics is reached, searching for a similar name is not worth the time.
    if isSettled { return false }
    var names = declared.map(\.name)
    if let input = declaration.outputsFromInput {
      // If the object comes from an expression, its keys are not known before the run.
      guard case .object(let members)? = workflow.steps[target].with[input] else { return true }
      if members[output] != nil { return true }
      if freeOutputs[target] == nil { freeOutputs[target] = Set(members.keys.map { $0.lowercased() }) }
      if freeOutputs[target]?.contains(output.lowercased()) ?? false { return true }
      names += members.keys
    }
    let moved = catalog.newAction(of: output, in: declaration.name)
    report(
      .unknownOutput, "'\(name(target))' has no output '\(output)'", at: location,
      related: [.init(span(.uses, of: target), "it is a step of '\(declaration.name)'")],
      correction: moved == nil ? correction(output, among: names) : nil,
      otherwise: moved.map { "it is now an output of '\($0)'" }
        ?? (names.isEmpty
          ? "it has none"
          : "it has \(Self.list(names))"
            + (declaration.outputFieldsFromInput == nil
              ? "" : "; what its command writes to FLOWRUN_OUTPUT is declared under 'outputs'"))
    )
    return false
  }

  /// Reports an optional output of a command that has no default and is read without a fallback value, unless the
  /// reader's `if` checks the step.
  private mutating func checkDeclaredOutput(
    _ reference: ContextReference, of target: Int, for site: ExpressionSite, at location: TextSpan
  ) {
    guard let reader = site.step, !reference.hasFallback, !reads(reader, target),
      workflow.steps[target].options.fanOut == nil,
      let declaration = actions.declaration(ofStep: target), declaration.outputFieldsFromInput != nil,
      let output = FieldIndex(outputs(ofStep: target)).field(like: reference.path[2]),
      !output.isRequired, output.defaultValue == nil
    else { return }
    report(
      .outputMayBeMissing, "the command of '\(name(target))' may leave out the output '\(output.name)'", at: location,
      related: shorthand(for: declaration.outputFieldsFromInput ?? "", of: target).flatMap {
        tree.member(output.name, of: $0.value)
      }
      .map { [.init(tree.span($0.key), "it is 'required: false'")] } ?? [],
      help: "write '… || a default', or declare a 'default'")
  }

  /// Reports an output that may be missing, unless the expression has a fallback value or the reader's `if` checks the
  /// step.
  private mutating func checkPresence(
    of target: Int, for site: ExpressionSite, hasFallback: Bool, at location: TextSpan
  ) {
    guard let reader = site.step, !hasFallback, !reads(reader, target) else { return }
    let condition = workflow.steps[reader].options.condition
    let runsAnyway =
      workflow.steps[reader].options.isFinal
      || condition.flatMap { try? workflow.texts.condition($0) }?.expression.mayHoldBehindFailure ?? false
    guard mayBeMissing(target) || runsAnyway else { return }
    report(
      .outputMayBeMissing,
      mayBeMissing(target)
        ? "'\(name(target))' may end without outputs"
        : "'\(name(reader))' runs even when '\(name(target))' failed, and then there are no outputs",
      at: location,
      related: [
        mayBeMissing(target)
          ? .init(span(ofWhatMayHide: target), "because of this")
          : workflow.steps[reader].options.isFinal
            ? .init(idSpan(reader), "it is in 'finally'") : .init(span(.condition, of: reader), "because of this")
      ],
      help: "write '… || a default', or check steps.\(name(target)).outcome in its 'if'")
  }

  // MARK: Types

  /// Returns the declared type of a reference's value, or nil if it is not known.
  func type(of reference: ContextReference, _ site: ExpressionSite) -> ValueType? {
    let path = reference.path
    switch (reference.name.lowercased(), path.count) {
    case ("inputs", 1...):
      return inputs.field(like: path[0]).flatMap { Self.type(at: path.dropFirst(), in: $0.type) }
    case ("run", 1) where path[0].lowercased() == "failures": return .array(of: .object(properties: nil))
    case ("env", 1), ("run", 1), ("secrets", 1): return .string
    case ("launch", 1):
      switch path[0].lowercased() {
      case "reason": return .string
      case "first": return .boolean
      default: return nil
      }
    case ("gate", 1): return .string
    case ("event", 1):
      switch path[0].lowercased() {
      case "name": return .string
      case "number": return .integer
      case "value": return nil
      default: return .number
      }
    case ("events", 2...) where path[1].lowercased() == "value":
      return valueType(of: path[0]).flatMap { Self.type(at: path.dropFirst(2), in: $0) }
    case ("steps", 2):
      switch path[1].lowercased() {
      case "outputs": return nil
      case "products": return .array(of: .string)
      default: return .string
      }
    case ("steps", 3...) where path[1].lowercased() == "outputs":
      guard let target = stepIndex(like: path[0]),
        let output = FieldIndex(outputs(ofStep: target)).field(like: path[2])
      else { return nil }
      // For a fan-out, an output is a list with one value for each item.
      let isList = workflow.steps[target].options.fanOut != nil
      return Self.type(at: path.dropFirst(3), in: isList ? .array(of: output.type) : output.type)
    // `foreach` cannot read the item that it defines. Determining the item's type there would not terminate.
    case (ItemContext.item, _) where site.kind != .foreach:
      return site.step.flatMap { itemType(of: $0) }.flatMap { Self.type(at: path[...], in: $0) }
    case (ItemContext.index, 0): return .integer
    case (ItemContext.key, 0): return .string
    default: return nil
    }
  }

  private static func type(at path: ArraySlice<String>, in type: ValueType) -> ValueType? {
    guard let key = path.first else { return type }
    guard case .object(let properties?) = type,
      let property = properties.first(where: { $0.name.lowercased() == key.lowercased() })
    else { return nil }
    return self.type(at: path.dropFirst(), in: property.type)
  }

  // MARK: Looking up

  /// Returns true if `step` depends on `target` directly or indirectly, so that `target` has finished when `step`
  /// starts. Also returns true after too many searches.
  ///
  /// Only steps that come after `target` in topological order are searched.
  mutating func reaches(_ target: Int, from step: Int) -> Bool {
    let wanted = StepIndex(target)
    if workflow.steps[step].needs.contains(wanted) { return true }
    if ranks.isEmpty {
      ranks = [Int32](repeating: 0, count: workflow.steps.count)
      for (rank, step) in order.enumerated() { ranks[Int(step)] = Int32(rank) }
    }
    var open = [StepIndex(step)]
    // Visited steps are marked with the number of the search, so that no marks need to be cleared.
    if searches.isEmpty { searches = [Int32](repeating: 0, count: workflow.steps.count) }
    searchNumber += 1
    while let current = open.popLast() {
      for need in workflow.steps[Int(current)].needs {
        if need == wanted { return true }
        if ranks[Int(need)] > ranks[target], searches[Int(need)] != searchNumber {
          searches[Int(need)] = searchNumber
          open.append(need)
        }
      }
      reachBudget -= workflow.steps[Int(current)].needs.count + 1
      // Only generated files exceed this limit. A wrong reference that is not reported here is null at run time.
      if reachBudget < 0 { return true }
    }
    return false
  }
}
