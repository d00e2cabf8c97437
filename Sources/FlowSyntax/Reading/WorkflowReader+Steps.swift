import FlowDiagnostics
import FlowModel

extension WorkflowReader {
  /// Reads all steps: first the ids, so that needs may point forward, then the steps themselves.
  mutating func readSteps() {
    for (key, member) in places.keys where WorkflowKey.holdsSteps(key.rawValue) {
      let first = places.steps.count
      readIDs(under: key, member.value)
      if key == .finally { finalSteps = first..<places.steps.count }
    }
    let count = places.steps.count
    guard count > finalSteps.count else {
      if diagnostics.isEmpty { report(.noSteps, "the workflow has no steps", at: span(places.member(.steps)!.key)) }
      return
    }
    readSteps(count)
    if !finalSteps.isEmpty { bindFinalSteps() }
  }

  private mutating func readIDs(under key: WorkflowKey, _ node: NodeID) {
    guard tree.kind(node) == .mapping else {
      reportType(
        node, .text(key.rawValue), expected: "a map from step id to step",
        help: tree.kind(node) == .sequence
          ? "give each step an id as its key, without the dash: 'build: { run: make }'; 'needs' says what comes after what"
          : "give each step an id as its key: '\(key.rawValue): { build: { run: make } }'")
      return
    }
    readIDs(node)
    if key == .finally, tree.next(tree.resolve(node)) == tree.resolve(node) + 1 {
      report(.noSteps, "'finally' has no steps", at: span(places.member(.finally)!.key))
    }
  }

  private mutating func readSteps(_ count: Int) {
    needs.reserveCapacity(count * 2)
    actions.ofStep.reserveCapacity(count)
    workflow.steps.reserveCapacity(count)
    var needEnds: [Int32] = []
    needEnds.reserveCapacity(count)
    for index in 0..<count {
      readStep(index)
      needEnds.append(Int32(needs.count))
    }
    var start = 0
    for index in 0..<count {
      let end = Int(needEnds[index])
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
        // The step is read all the same, under a name that no other step can have.
        places.steps.append(StepPlace(key: member.key, value: member.value))
        _ = ids.insert(member.key, in: tree)
        continue
      }
      guard ids.insert(member.key, in: tree).isNew else {
        reportDuplicate(member.key, in: node)
        continue
      }
      places.steps.append(StepPlace(key: member.key, value: member.value))
      guard places.steps.count <= Limits.steps else {
        report(
          .tooManySteps, "the workflow has more than \(Limits.steps) steps", at: span(member.key),
          help: "split it into several workflows")
        places.steps.removeAll()
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

  /// `open-store` for `OpenStore` and for `open store`.
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
    let place = places.steps[index]
    var action = -1
    var uses = ""
    var with: ValueObject = [:]
    var command = CommandKeys()
    var options: StepOptions?
    forEachKey(of: place.value, stepKeys, owner: .step(place.key), place: place.key) {
      reader, key, member in
      switch key {
      case .uses:
        command.uses = member.key
        action = reader.readUses(member.value, place)
        if action >= 0 { uses = reader.actions.entries[action].name }
      case .run: command.run = member
      case .shell: command.shell = member
      case .outputs: command.outputs = member
      case .needs: reader.readNeeds(member.value, index)
      case .with: with = reader.readWith(member.value, place)
      default:
        var changed = options ?? StepOptions()
        options = nil
        reader.readOption(key, member, of: place, into: &changed)
        options = changed
      }
    }
    if command.uses == nil || command.isStated { readCommand(command, of: place, &action, &uses, &with) }
    if let outputs = command.outputs { readOutputs(outputs, of: place, action, &with) }
    if !defaults.isEmpty { apply(defaults, to: &options, place) }
    if finalSteps.contains(index) { options = final(options ?? StepOptions(), place) }
    actions.ofStep.append(Int32(action))
    let id = StepID(unchecked: tree.kind(place.key) == .scalar ? tree.text(place.key) : "")
    if let options {
      workflow.steps.append(Step(id: id, uses: uses, with: with, options: options))
    } else {
      workflow.steps.append(Step(id: id, uses: uses, with: with))
    }
  }

  private mutating func readUses(_ node: NodeID, _ place: StepPlace) -> Int {
    let kind = tree.kind(node)
    guard kind == .scalar, isAction(node) || string(node, .stepKey(.uses, place.key)) != nil else {
      if kind != .scalar { reportType(node, .stepKey(.uses, place.key), expected: "plugin.action") }
      return -1
    }
    return actions.index(of: node, in: tree)
  }

  /// Whether a scalar begins with a letter other than those of `true`, `false` and `null`, and so is a string.
  @inline(__always)
  private func isAction(_ node: NodeID) -> Bool {
    tree.nodes[tree.resolve(node)].tag == .none
      && tree.withText(node) { bytes in
        guard let first = bytes.first, bytes.count > 5 else { return false }
        return first >= UInt8(ascii: "a") && first <= UInt8(ascii: "z")
      }
  }

  private mutating func readWith(_ node: NodeID, _ place: StepPlace) -> ValueObject {
    guard tree.kind(node) == .mapping else {
      if tree.kind(node) == .scalar, tree.scalarValue(node)?.isNull == true { return [:] }
      reportType(node, .stepKey(.with, place.key), expected: "a map from input to value")
      return [:]
    }
    return object(node)
  }

  @inline(__always)
  private mutating func readNeeds(_ node: NodeID, _ step: Int) {
    let start = needs.count
    switch tree.kind(node) {
    case .scalar: addNeed(node, step, start)
    case .sequence:
      let sequence = tree.resolve(node)
      var element = sequence + 1
      let end = tree.next(sequence)
      while element < end {
        addNeed(element, step, start)
        element = tree.next(element)
      }
    default:
      reportType(node, .stepKey(.needs, places.steps[step].key), expected: "a step id or a list of them")
    }
  }

  @inline(__always)
  private mutating func addNeed(_ node: NodeID, _ step: Int, _ start: Int) {
    guard tree.kind(node) == .scalar, let need = ids.index(of: node, in: tree) else {
      reportNeed(node, step)
      return
    }
    let index = StepIndex(need)
    // Lists are short; a long one gets a set.
    if needs.count - start <= 16 {
      for place in start..<needs.count where needs[place] == index { return }
    } else if isAmongLongNeeds(index, from: start) {
      return
    }
    needs.append(index)
  }

  private mutating func isAmongLongNeeds(_ need: StepIndex, from start: Int) -> Bool {
    if longNeeds.start != start { longNeeds = LongNeeds(start: start, end: start) }
    while longNeeds.end < needs.count {
      longNeeds.steps.insert(needs[longNeeds.end])
      longNeeds.end += 1
    }
    return longNeeds.steps.contains(need)
  }

  private mutating func reportNeed(_ node: NodeID, _ step: Int) {
    let name = tree.keyName(places.steps[step].key)
    guard let need = string(node, .part("each of the needs", of: .step(places.steps[step].key))) else { return }
    guard !isFull else { return }
    let nearest =
      mayLookThrough(places.steps.count)
      ? NearestName.of(need, among: places.steps.map { tree.keyName($0.key) }) : nil
    let related = nearest.flatMap { nearest in
      places.steps.first { tree.keyName($0.key) == nearest }.map {
        Diagnostic.RelatedPlace(span($0.key), "'\(nearest)' is defined here")
      }
    }
    report(
      .unknownStep, "step '\(name)' needs '\(need)', which is not a step", at: span(node),
      related: related.map { [$0] } ?? [], correction: nearest.map { Correction(need, to: $0) },
      otherwise: need.contains(".")
        ? "a need is the id of a step; files that a step reads stand in 'inputs-from'"
        : need.contains("/") ? "what an included file holds is over with the step that includes it: need that" : nil)
  }
}

extension NodeTree {
  /// The text of a key for messages; a key that is no text is called `?`.
  func keyName(_ key: NodeID) -> String { text(of: key) ?? "?" }
}
