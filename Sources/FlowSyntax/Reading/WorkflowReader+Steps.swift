import FlowDiagnostics
import FlowModel

extension WorkflowReader {
  /// Reads all steps. Their ids are read first, so that `needs` may refer to later steps.
  mutating func readSteps() {
    for (key, member) in locations.keys where WorkflowKey.holdsSteps(key.rawValue) {
      let first = locations.steps.count
      readIDs(under: key, member.value)
      if key == .finally { finalSteps = first..<locations.steps.count }
    }
    let count = locations.steps.count
    guard count > finalSteps.count else {
      if diagnostics.isEmpty { report(.noSteps, "the workflow has no steps", at: span(locations.member(.steps)!.key)) }
      return
    }
    readSteps(count)
    if !finalSteps.isEmpty { bindFinalSteps() }
  }

  private mutating func readIDs(under key: WorkflowKey, _ node: NodeID) {
    guard tree.kind(node) == .mapping else {
      reportType(
        node, .text(key.rawValue), expected: "a mapping from step id to step",
        help: tree.kind(node) == .sequence
          ? "give each step an id as its key, without the dash: 'build: { run: make }'; 'needs' sets the order"
          : "give each step an id as its key: '\(key.rawValue): { build: { run: make } }'")
      return
    }
    readIDs(node)
    if key == .finally, tree.next(tree.resolve(node)) == tree.resolve(node) + 1 {
      report(.noSteps, "'finally' has no steps", at: span(locations.member(.finally)!.key))
    }
  }

  private mutating func readSteps(_ count: Int) {
    needs.reserveCapacity(count * 2)
    actions.ofStep.reserveCapacity(count)
    workflow.steps.reserveCapacity(count)
    var dependencyEnds: [Int32] = []
    dependencyEnds.reserveCapacity(count)
    for index in 0..<count {
      readStep(index)
      dependencyEnds.append(Int32(needs.count))
    }
    var start = 0
    for index in 0..<count {
      let end = Int(dependencyEnds[index])
      if end > start { workflow.steps[index].needs = needs[start..<end] }
      start = end
    }
  }

  private mutating func readIDs(_ node: NodeID) {
    var members = tree.members(of: node, failures: &diagnostics)
    if ids.count == 0 { ids = NameTable(capacity: (tree.next(tree.resolve(node)) - tree.resolve(node)) / 6) }
    while let member = members.next(in: tree) {
      guard tree.kind(member.key) == .scalar, tree.withText(member.key, { StepID.isValid($0) }) else {
        reportStepID(member.key)
        // Keep the step under a name that no other step can have, so that it is still checked.
        locations.steps.append(StepLocation(key: member.key, value: member.value))
        _ = ids.insert(member.key, in: tree)
        continue
      }
      guard ids.insert(member.key, in: tree).isNew else {
        reportDuplicate(member.key, in: node)
        continue
      }
      locations.steps.append(StepLocation(key: member.key, value: member.value))
      guard locations.steps.count <= Limits.steps else {
        report(
          .tooManySteps, "the workflow has more than \(Limits.steps) steps", at: span(member.key),
          help: "split it into several workflows")
        locations.steps.removeAll()
        return
      }
    }
  }

  private mutating func reportStepID(_ key: NodeID) {
    guard !isSettled, let name = keyText(key) else { return }
    let proposal = Self.stepID(like: name)
    report(
      .invalidStepID, "'\(name)' cannot be the id of a step", at: span(key),
      help: (StepID.isValid(proposal) && proposal != name ? "write '\(proposal)'; " : "")
        + "an id is \(NameKind.step.rule)")
  }

  /// Suggests a valid id for a name, such as `open-store` for `OpenStore` or `open store`.
  private static func stepID(like name: String) -> String {
    var words = [""]
    for character in name {
      let isPart = character.isASCII && (character.isLetter || character.isNumber)
      let beginsWord = character.isUppercase && words[words.count - 1].last?.isLowercase == true
      if beginsWord || !isPart { words.append("") }
      if isPart { words[words.count - 1].append(character) }
    }
    return String(words.filter { !$0.isEmpty }.joined(separator: "-").lowercased().prefix(Limits.stepIDCharacters))
  }

  private mutating func readStep(_ index: Int) {
    let location = locations.steps[index]
    var action = -1
    var uses = ""
    var with: ValueObject = [:]
    var command = CommandKeys()
    var options: StepOptions?
    forEachKey(of: location.value, stepKeys, owner: .step(location.key), location: location.key) {
      reader, key, member in
      switch key {
      case .uses:
        command.uses = member.key
        action = reader.readUses(member.value, location)
        if action >= 0 { uses = reader.actions.entries[action].name }
      case .run: command.run = member
      case .shell: command.shell = member
      case .outputs: command.outputs = member
      case .outputLimit: command.outputLimit = member
      case .stop: command.stop = member
      case .mergeOutput: command.mergeOutput = member
      case .path: command.path = member
      case .interactive: command.interactive = member
      case .service: command.service = member
      case .readyWhen: command.readyWhen = member
      case .restart: command.restart = member
      case .needs: reader.readNeeds(member.value, index)
      case .with: with = reader.readWith(member.value, location)
      default:
        var changed = options ?? StepOptions()
        options = nil
        reader.readOption(key, member, of: location, into: &changed)
        options = changed
      }
    }
    if command.uses == nil || command.isStated { readCommand(command, of: location, &action, &uses, &with) }
    if command.isOfService || uses == CommandKeys.serviceAction {
      readService(command, of: location, &action, &uses, &with)
    }
    if let outputs = command.outputs, uses != CommandKeys.serviceAction {
      readOutputs(outputs, of: location, action, &with)
    }
    if let limit = command.outputLimit, uses != CommandKeys.serviceAction {
      readOutputLimit(limit, of: location, action, &with)
    }
    if command.stop != nil || defaults.stop != nil { readStop(command.stop, of: location, action, &with) }
    if CommandKeys.isCommand(uses) || command.needsCommand { readCommandOptions(command, of: location, uses, &with) }
    if with[StepKey.interactive.rawValue] == .boolean(true), uses == CommandKeys.action {
      var changed = options ?? StepOptions()
      changed.queue = terminalQueue(changed.queue, location)
      options = changed
    }
    if !defaults.isEmpty {
      apply(defaults, to: &options, location)
      // A service restarts according to `restart`, so `retry` does not apply to it.
      if uses == CommandKeys.serviceAction { options?.retry = nil }
    }
    if options?.executor != nil { checkChangingOptions(location, hasResources: options?.request != nil) }
    if options?.request != nil {
      let later = laterRequests(location, attempts: options?.retry?.attempts ?? 1)
      if !later.isEmpty { options?.laterRequests = later }
    }
    if finalSteps.contains(index) { options = final(options ?? StepOptions(), location) }
    actions.ofStep.append(Int32(action))
    let id = StepID(unchecked: tree.kind(location.key) == .scalar ? tree.text(location.key) : "")
    if let options {
      workflow.steps.append(Step(id: id, uses: uses, with: with, options: options))
    } else {
      workflow.steps.append(Step(id: id, uses: uses, with: with))
    }
  }

  private mutating func readUses(_ node: NodeID, _ location: StepLocation) -> Int {
    let kind = tree.kind(node)
    guard kind == .scalar, isAction(node) || string(node, .stepKey(.uses, location.key)) != nil else {
      if kind != .scalar { reportType(node, .stepKey(.uses, location.key), expected: "plugin.action") }
      return -1
    }
    return actions.index(of: node, in: tree)
  }

  /// True if the scalar is certainly a string rather than a Boolean, null or a number. Only its first letter and its
  /// length are checked.
  @inline(__always)
  private func isAction(_ node: NodeID) -> Bool {
    tree.nodes[tree.resolve(node)].tag == .none
      && tree.withText(node) { bytes in
        guard let first = bytes.first, bytes.count > 5 else { return false }
        return first >= UInt8(ascii: "a") && first <= UInt8(ascii: "z")
      }
  }

  private mutating func readWith(_ node: NodeID, _ location: StepLocation) -> ValueObject {
    guard tree.kind(node) == .mapping else {
      if tree.kind(node) == .scalar, tree.scalarValue(node)?.isNull == true { return [:] }
      reportType(node, .stepKey(.with, location.key), expected: "a mapping from input to value")
      return [:]
    }
    return object(node)
  }

  @inline(__always)
  private mutating func readNeeds(_ node: NodeID, _ step: Int) {
    let start = needs.count
    switch tree.kind(node) {
    case .scalar: addDependency(node, step, start)
    case .sequence:
      let sequence = tree.resolve(node)
      var element = sequence + 1
      let end = tree.next(sequence)
      while element < end {
        addDependency(element, step, start)
        element = tree.next(element)
      }
    default:
      reportType(node, .stepKey(.needs, locations.steps[step].key), expected: "a step id or a list of them")
    }
  }

  @inline(__always)
  private mutating func addDependency(_ node: NodeID, _ step: Int, _ start: Int) {
    guard tree.kind(node) == .scalar, let need = ids.index(of: node, in: tree) else {
      reportDependency(node, step)
      return
    }
    let index = StepIndex(need)
    // A linear search would be too slow for long lists, so a set is used for them.
    if needs.count - start <= 16 {
      for location in start..<needs.count where needs[location] == index { return }
    } else if isAmongLongDependencies(index, from: start) {
      return
    }
    needs.append(index)
  }

  private mutating func isAmongLongDependencies(_ need: StepIndex, from start: Int) -> Bool {
    if longDependencies.start != start { longDependencies = LongDependencies(start: start, end: start) }
    while longDependencies.end < needs.count {
      longDependencies.steps.insert(needs[longDependencies.end])
      longDependencies.end += 1
    }
    return longDependencies.steps.contains(need)
  }

  private mutating func reportDependency(_ node: NodeID, _ step: Int) {
    let name = tree.keyName(locations.steps[step].key)
    guard let need = string(node, .part("each of the dependencies", of: .step(locations.steps[step].key))) else {
      return
    }
    guard !isFull else { return }
    let nearest =
      mayLookThrough(locations.steps.count)
      ? NearestName.of(need, among: locations.steps.map { tree.keyName($0.key) }) : nil
    let related = nearest.flatMap { nearest in
      locations.steps.first { tree.keyName($0.key) == nearest }.map {
        Diagnostic.RelatedLocation(span($0.key), "'\(nearest)' is defined here")
      }
    }
    report(
      .unknownStep, "step '\(name)' needs '\(need)', which is not a step", at: span(node),
      related: related.map { [$0] } ?? [], correction: nearest.map { Correction(need, to: $0) },
      otherwise: need.contains(".")
        ? "a dependency is the id of a step; list the files that a step reads under 'inputs-from'"
        : need.contains("/")
          ? "the steps of an included file finish with the step that includes it; depend on that step" : nil)
  }
}

extension NodeTree {
  /// Returns the text of a key for messages, or `?` if the key is not a scalar.
  func keyName(_ key: NodeID) -> String { text(of: key) ?? "?" }
}
