import FlowDiagnostics
import FlowModel

/// Removes diagnostics that are only consequences of another mistake. For example, a key at the wrong level is one
/// mistake, even if it causes many others.
///
/// It runs only if there is more than one error, on at most ``Limits/diagnostics`` diagnostics.
struct Consequences {
  private let check: WorkflowCheck
  private var diagnostics: [Diagnostic]
  /// The names of misplaced keys and keys without a value, and of the keys below and after them. A reference to such a
  /// name is probably reported as unknown only because of that mistake.
  private var strayNames: Set<String> = []
  /// The steps with a misplaced key in their text.
  private var brokenSteps: Set<Int> = []
  /// The steps that lost a key to the list of steps because of wrong indentation.
  private var robbedSteps: Set<Int> = []
  private var inputsAreBroken = false
  /// True if a step is not recognized because of a misplaced key. Its events are then unknown.
  private var isStepLost = false

  /// Returns `diagnostics`, which `check` has found, without those that are only consequences of others.
  static func removed(from diagnostics: [Diagnostic], _ check: WorkflowCheck) -> [Diagnostic] {
    guard diagnostics.count(where: \.isError) > 1 else { return diagnostics }
    var consequences = Consequences(check: check, diagnostics: diagnostics.sortedByLocation())
    consequences.removeAll()
    return consequences.diagnostics
  }

  private init(check: WorkflowCheck, diagnostics: [Diagnostic]) {
    self.check = check
    self.diagnostics = diagnostics
  }

  private var tree: NodeTree { check.tree }

  private mutating func removeAll() {
    removeInsideOfWhatHoldsTheSteps()
    removeBehindStrayKeys()
    removeBesideUnknownKeys()
    removeInMapsOfAnotherLevel()
    removeInStepsThatAreKeys()
    findBrokenSteps()
    removeBelowUnknownDependencies()
    let (names, steps, areInputsBroken, isStepLost) = (strayNames, brokenSteps, inputsAreBroken, isStepLost)
    let diagnostics = diagnostics
    self.diagnostics = diagnostics.filter { diagnostic in
      switch diagnostic.code {
      // An input can be rejected because it names an event whose declaration has been misplaced.
      case .unknownStep, .inputRejected: !names.contains(name(of: diagnostic))
      case .unknownEvent: !isStepLost && !names.contains(name(of: diagnostic))
      case .missingInput: !(step(at: diagnostic.span.start).map(steps.contains) ?? false)
      case .inputType: !diagnostics.contains { $0.code == .keyNotText && diagnostic.span.contains($0.span) }
      case .undeclaredInput: !areInputsBroken && !names.contains(name(of: diagnostic))
      default: true
      }
    }
  }

  // MARK: Misplaced keys

  /// Removes diagnostics about the keys that follow a key without a value at the same level: they were probably meant
  /// to be inside it. Also records the names in unknown keys and in keys without a value, because references to them
  /// are not reported.
  private mutating func removeBehindStrayKeys() {
    var kept: [Diagnostic] = []
    /// The ranges in which diagnostics with these codes are consequences.
    var shadows: [(range: Range<Int>, codes: Set<DiagnosticCode>)] = []
    for diagnostic in diagnostics {
      let start = diagnostic.span.start
      if shadows.contains(where: { $0.range.contains(start) && $0.codes.contains(diagnostic.code) }) { continue }
      kept.append(diagnostic)
      guard Self.structural.contains(diagnostic.code), let location = location(at: start) else { continue }
      let isEmpty = isNothing(location.value)
      if diagnostic.code == .unknownKey || diagnostic.code == .unknownInput || isEmpty {
        strayNames.insert(tree.keyName(location.key))
        noteStray(memberNames(of: location.value))
      }
      // Indentation has no meaning inside braces.
      guard isEmpty, tree.source.bytes[tree.span(location.map).start] != UInt8(ascii: "{") else { continue }
      let behind = tree.span(location.key).end..<max(tree.span(location.key).end + 1, tree.span(location.map).end)
      let isRoot = location.map == tree.root
      // The keys after this one were probably meant to be inside it, so references to their names are not reported
      // either.
      noteStray(memberNames(of: location.map, behind: location.key))
      shadows.append((behind, isRoot ? [.unknownKey] : Self.structural.union(Self.relational)))
    }
    diagnostics = kept
  }

  private mutating func noteStray(_ names: [String]) {
    strayNames.formUnion(names)
    if names.contains(StepKey.uses.rawValue) || names.contains(StepKey.run.rawValue) { isStepLost = true }
  }

  /// Removes all but the first diagnostic inside a key that belongs to another level, such as `outputs:` among the
  /// steps or `deadline:` among the inputs. The whole key is one mistake, whatever it contains.
  private mutating func removeInMapsOfAnotherLevel() {
    var told: Set<Int> = []
    diagnostics = diagnostics.filter { diagnostic in
      guard diagnostic.code == .unknownKey, let location = location(at: diagnostic.span.start),
        let owner = location.owner,
        isKeyOfAnotherLevel(owner, location.map)
      else { return true }
      return told.insert(tree.span(owner).start).inserted
    }
  }

  /// True if a step or input has the name of a key of the format, and contents that suggest that this key was meant.
  private func isKeyOfAnotherLevel(_ owner: NodeID, _ map: NodeID) -> Bool {
    let (name, start) = (tree.keyName(owner), tree.span(owner).start)
    guard WorkflowKey(rawValue: name) != nil || StepKey(rawValue: name) != nil else { return false }
    if let step = step(at: start) {
      return check.locations.steps[step].key == owner && !tree.hasAction(map)
    }
    guard let inputs = check.locations.value(.inputs) else { return false }
    return (tree.span(inputs).start...tree.span(inputs).end).contains(start) && tree.member("type", of: map) == nil
  }

  /// If `steps` is inside another key instead of at the top level, states that in the diagnostic about the missing key,
  /// and removes all diagnostics inside that key.
  private mutating func removeInsideOfWhatHoldsTheSteps() {
    guard let root = tree.root, tree.member("steps", of: root) == nil else { return }
    let start = tree.span(root).start
    for (key, member) in check.locations.keys {
      guard let steps = tree.member("steps", of: member.value),
        let missing = diagnostics.firstIndex(where: { $0.code == .missingKey && $0.span.start == start })
      else { continue }
      diagnostics[missing].help = "'steps' is inside '\(key.rawValue)'; move it to the left edge"
      let inside = tree.span(steps.key).start...max(tree.span(steps.key).start, tree.span(member.value).end)
      diagnostics = diagnostics.filter { !inside.contains($0.span.start) }
    }
  }

  /// Removes the diagnostic about a missing key from mappings below the top level with an unknown key, which is
  /// probably a misspelling of the missing one.
  private mutating func removeBesideUnknownKeys() {
    var owners: Set<Int> = []
    for diagnostic in diagnostics where diagnostic.code == .unknownKey {
      if let location = location(at: diagnostic.span.start) {
        owners.insert(location.owner.map { tree.span($0).start } ?? 0)
      }
    }
    let root = tree.root.map { tree.span($0).start } ?? 0
    diagnostics = diagnostics.filter { diagnostic in
      guard diagnostic.code == .missingKey, diagnostic.span.start != root else { return true }
      return !owners.contains(diagnostic.span.start)
    }
  }

  /// Returns the names of all members of a mapping, or of those after `key`, but at most 1,000 names.
  private func memberNames(of map: NodeID, behind key: NodeID = -1) -> [String] {
    guard tree.nodes[map].kind == .mapping else { return [] }
    var names: [String] = []
    var ignored: [Diagnostic] = []
    var members = tree.members(of: map, failures: &ignored)
    while names.count < 1_000, let member = members.next(in: tree) {
      if member.key > key { names.append(tree.keyName(member.key)) }
    }
    return names
  }

  /// Keeps only the first diagnostic inside a key such as `with:` that is not indented enough and is therefore read as
  /// a step, and changes its help. Also removes the diagnostic about a missing key of the step before it.
  private mutating func removeInStepsThatAreKeys() {
    for (index, step) in check.locations.steps.enumerated() {
      guard StepKey(rawValue: tree.keyName(step.key)) != nil, !tree.hasAction(step.value) else { continue }
      let start = tree.span(step.key).start
      let range = start..<max(start + 1, tree.span(step.value).end)
      let own = diagnostics.indices.filter { range.contains(diagnostics[$0].span.start) }
      guard let first = own.first else { continue }
      let before = index > 0 ? ", '\(tree.keyName(check.locations.steps[index - 1].key))'" : ""
      diagnostics[first].help =
        "'\(tree.keyName(step.key))' is a key of a step; if it belongs to the step before it\(before), indent it further"
      for other in own.dropFirst().reversed() { diagnostics.remove(at: other) }
      guard index > 0 else { continue }
      brokenSteps.insert(index - 1)
      robbedSteps.insert(index - 1)
      let key = tree.span(check.locations.steps[index - 1].key)
      diagnostics.removeAll { $0.code == .missingKey && $0.span == key }
    }
  }

  private static let structural: Set<DiagnosticCode> = [
    .unknownKey, .duplicateKey, .missingKey, .wrongType, .keyNotText, .unknownInput, .inputType, .unknownValue,
    .invalidName,
  ]

  /// The codes of diagnostics about dependencies between steps. They may be consequences of a missing key.
  private static let relational: Set<DiagnosticCode> = [
    .cycle, .prewarmNeed, .prewarmProtectedData, .prewarmReadsLaunch,
  ]

  /// True if the diagnostic is about the syntax of an expression in a block scalar. The keys below may have become part
  /// of its text.
  private func maySwallowKeys(_ diagnostic: Diagnostic) -> Bool {
    guard diagnostic.code == .expressionSyntax, diagnostic.span.start < tree.source.bytes.count else { return false }
    let first = tree.source.bytes[diagnostic.span.start]
    return first == UInt8(ascii: ">") || first == UInt8(ascii: "|")
  }

  // MARK: Steps and their dependencies

  private mutating func findBrokenSteps() {
    let inputs = check.locations.member(.inputs)
    for diagnostic in diagnostics where Self.structural.contains(diagnostic.code) || maySwallowKeys(diagnostic) {
      if let step = step(at: diagnostic.span.start) { brokenSteps.insert(step) }
      if let inputs, (tree.span(inputs.key).start...tree.span(inputs.value).end).contains(diagnostic.span.start) {
        inputsAreBroken = true
      }
    }
  }

  /// Removes diagnostics about reachability, handles, outputs and events of steps whose direct and indirect
  /// dependencies are not all known.
  private mutating func removeBelowUnknownDependencies() {
    let dependent: Set<DiagnosticCode> = [
      .stepOutOfReach, .missingHandle, .ambiguousHandle, .handleMayBeMissing, .outputMayBeMissing,
      .eventMayBeUnposted,
    ]
    guard diagnostics.contains(where: { dependent.contains($0.code) }) else { return }
    var unsure = robbedSteps
    let causes: Set<DiagnosticCode> = [.unknownStep, .unknownKey, .duplicateKey, .missingKey, .keyNotText]
    for diagnostic in diagnostics where causes.contains(diagnostic.code) || maySwallowKeys(diagnostic) {
      if let step = step(at: diagnostic.span.start) { unsure.insert(step) }
    }
    guard !unsure.isEmpty else { return }
    let steps = check.workflow.steps
    // A step may come before its dependencies in the file, so this is repeated until nothing changes.
    var count = -1
    while count != unsure.count {
      count = unsure.count
      for index in steps.indices
      where !unsure.contains(index) && steps[index].needs.contains(where: { unsure.contains(Int($0)) }) {
        unsure.insert(index)
      }
    }
    diagnostics = diagnostics.filter { diagnostic in
      !dependent.contains(diagnostic.code) || !(step(at: diagnostic.span.start).map(unsure.contains) ?? false)
    }
  }

  // MARK: Looking up

  /// Returns the step whose text contains this offset, or nil.
  private func step(at offset: Int) -> Int? {
    var low = 0
    var high = check.locations.steps.count
    while low < high {
      let middle = (low + high) / 2
      if tree.span(check.locations.steps[middle].key).start <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0,
      offset
        <= max(tree.span(check.locations.steps[low - 1].value).end, tree.span(check.locations.steps[low - 1].key).end)
    else { return nil }
    return low - 1
  }

  private struct Location {
    /// The key of the mapping, or nil for the outermost mapping.
    var owner: NodeID?
    var map: NodeID
    var key: NodeID
    var value: NodeID
  }

  /// Returns the member whose key, or whose missing value, is at this offset. Returns nil if there is none.
  private func location(at offset: Int) -> Location? {
    guard var map = tree.root, tree.kind(map) == .mapping else { return nil }
    var owner: NodeID?
    while true {
      var inner: (key: NodeID, value: NodeID)?
      var ignored: [Diagnostic] = []
      if map == check.locations.value(.steps) || map == check.locations.value(.finally), let step = step(at: offset) {
        let (key, value) = (check.locations.steps[step].key, check.locations.steps[step].value)
        if tree.span(key).start == offset || isNothing(value) && tree.span(value).start == offset {
          return Location(owner: owner, map: map, key: key, value: value)
        }
        inner = (key, value)
      } else {
        var members = tree.members(of: map, failures: &ignored)
        while let member = members.next(in: tree) {
          if tree.span(member.key).start == offset
            || (isNothing(member.value) && tree.span(member.value).start == offset)
          {
            return Location(owner: owner, map: map, key: member.key, value: member.value)
          }
          if tree.span(member.key).start <= offset, offset <= tree.span(member.value).end { inner = member }
        }
      }
      guard let next = inner, next.value != map, tree.nodes[next.value].kind == .mapping else { return nil }
      map = next.value
      owner = next.key
    }
  }

  /// True if the key has no value, so that its node is empty.
  private func isNothing(_ node: NodeID) -> Bool { tree.nodes[node].kind == .scalar && tree.span(node).isEmpty }

  /// Returns the name in the text of a diagnostic, which may be an expression such as `steps.build`.
  private func name(of diagnostic: Diagnostic) -> String {
    let text = tree.source.text(of: diagnostic.span)
    for context in ["steps.", "inputs."] {
      guard let location = text.firstRange(of: context) else { continue }
      return String(text[location.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }
    return text.filter { $0 != "\"" && $0 != "'" }
  }
}

extension NodeTree {
  /// True if the mapping has a key for the action of a step.
  fileprivate func hasAction(_ map: NodeID) -> Bool {
    member(StepKey.uses.rawValue, of: map) != nil || member(StepKey.run.rawValue, of: map) != nil
  }
}
