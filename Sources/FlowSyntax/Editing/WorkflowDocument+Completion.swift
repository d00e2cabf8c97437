import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowDocument {
  /// Returns the completions at a byte offset. The most likely one comes first.
  package func completions(at offset: Int) -> [Completion] {
    let location = EditingLocationScanner.location(at: offset, in: source.bytes)
    if location.position == .nothing { return [] }
    return withoutLine(at: offset).completions(at: location, of: self)
  }

  private func completions(at location: EditingLocation, of typed: WorkflowDocument) -> [Completion] {
    let bytes = typed.source.bytes
    let slot = slot(at: location.path)
    if let start = expressionStart(location, slot, bytes) {
      return ExpressionCompletion(document: self, location: location, start: start, bytes: bytes).completions()
    }
    let span = TextSpan(location.start, wordEnd(from: location.offset, bytes, isFlow: location.isFlow))
    if location.position == .keyOrValue, !location.isBlockText {
      let keys = keyCompletions(slot, location, span, bytes)
      if !keys.isEmpty { return keys }
    }
    // A mapping cannot begin on the same line as its key.
    return values(of: slot, location, span, bytes)
  }

  /// Returns the end of the word at the cursor, so that a completion replaces the whole word.
  private func wordEnd(from offset: Int, _ bytes: [UInt8], isFlow: Bool) -> Int {
    var end = offset
    while end < bytes.count, bytes[end].isNamePart { end += 1 }
    return end
  }

  // MARK: Keys

  private func keyCompletions(
    _ slot: EditingSlot, _ location: EditingLocation, _ span: TextSpan, _ bytes: [UInt8]
  ) -> [Completion] {
    var given = keys(at: location.path, except: location.offset)
    if location.path.count == 2, location.keys.first == WorkflowKey.finally.rawValue {
      given.formUnion(StepKey.notInFinally.map(\.rawValue))
    }
    let hasColon = bytes[span.end...].prefix(2).first == UInt8(ascii: ":")
    var completions: [Completion] = []
    for key in slot.keys where !given.contains(key.name) {
      completions.append(
        Completion(
          label: key.name, kind: .key, detail: key.summary, documentation: key.page,
          snippet: hasColon ? key.name : "\(key.name):\(key.shape.opening(location))", isRequired: key.isRequired,
          span: span))
    }
    for field in slot.fields where !given.contains(field.name) {
      completions.append(
        Completion(
          label: field.name, kind: .input, detail: field.shortDescription, documentation: field.page,
          snippet: hasColon ? field.name : "\(field.name): \(field.type.snippet(field))", isRequired: field.isRequired,
          span: span))
    }
    return completions.filter(\.isRequired) + completions.filter { !$0.isRequired }
  }

  // MARK: Values

  private func values(
    of slot: EditingSlot, _ location: EditingLocation, _ span: TextSpan, _ bytes: [UInt8]
  ) -> [Completion] {
    func words(_ words: [String], _ kind: Completion.Kind = .value) -> [Completion] {
      words.map { Completion(label: $0, kind: kind, span: span) }
    }
    switch slot {
    case .shape(let shape, let page):
      switch shape {
      case .boolean, .booleanOrExpression: return words(["true", "false"])
      case .deferral: return words(["true", "idle", "false"])
      case .word(let names): return words(names)
      case .integerOr(_, let word): return words((page?.defaultText.map { [$0] } ?? []) + [word])
      case .queueName: return queues(span)
      case .actionName: return uses(location, span, bytes)
      case .executorAddress: return executors(location, span, bytes)
      case .events: return awaitedEvents(span)
      case .stepNames: return steps(location, span)
      case .eventNames: return events(span)
      case .eventName: return events(span, repeatingOnly: true)
      case .duration, .durationAboveZero, .durationOr, .durationOrExpression, .estimate:
        return durations(location, span, bytes)
      default: return words(page.map { $0.proposals.isEmpty ? $0.defaultText.map { [$0] } ?? [] : $0.proposals } ?? [])
      }
    case .type(let type, let field):
      if let events = eventInput(location, span) { return events }
      var proposals: [Completion] = []
      switch type {
      case .boolean: proposals = words(["true", "false"])
      case .enumeration(let values, _): proposals = words(values.map(\.yamlText))
      case .duration: proposals = durations(location, span, bytes)
      default: break
      }
      if proposals.isEmpty, let value = field?.defaultValue, !value.isNull { proposals = words([value.yamlText]) }
      return proposals
    case .inputs, .unknown: return []
    }
  }

  private func queues(_ span: TextSpan) -> [Completion] {
    Queue.builtIn.map { Completion(label: $0, kind: .queue, detail: "a queue that every workflow has", span: span) }
      + workflow.queues.map {
        Completion(label: $0.name, kind: .queue, detail: $0.qualityOfService.rawValue, span: span)
      }
  }

  private func actions(_ span: TextSpan) -> [Completion] {
    catalog.declarations.map {
      Completion(label: $0.name, kind: .action, detail: $0.summary, documentation: $0.page, span: span)
    }
  }

  // MARK: Files

  /// Returns completions for `uses`: actions, or files if the text begins like a path.
  private func uses(_ location: EditingLocation, _ span: TextSpan, _ bytes: [UInt8]) -> [Completion] {
    let typed = String(decoding: bytes[location.start..<max(location.start, location.offset)], as: UTF8.self)
    let isPath = typed.hasPrefix(".") || typed.hasPrefix("/")
    return (isPath ? [] : actions(span)) + (isPath || typed.isEmpty ? files(typed, span) : [])
  }

  /// The maximum number of files in a folder that are read to determine whether they can be included.
  private static let readFiles = 200

  /// Returns completions for a path: the first files of the typed folder that can be included, and its subfolders.
  private func files(_ typed: String, _ span: TextSpan) -> [Completion] {
    guard let surroundings else { return [] }
    let stated = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? "./"
    let folder = path(of: stated)
    let names = surroundings.names(folder.isEmpty ? "/" : folder).filter { !$0.hasPrefix(".") }
    let own = path(of: IncludeLibrary.fileName(source.file))
    let files = names.filter { name in
      [".yaml", ".yml"].contains { name.hasSuffix($0) } && name != "plugin.yaml"
    }
    let found = files.prefix(Self.readFiles).compactMap { name -> Completion? in
      let path = IncludeLibrary.resolve(name, in: folder)
      guard path != own else { return nil }
      // The candidate is loaded with an empty include stack to detect whether it includes the open file.
      let library = IncludeLibrary(catalog: installedCatalog, files: surroundings.read)
      let entry = library.entry(path, stack: [])
      guard let result = entry.result, !result.locations.steps.isEmpty, !library.named.contains(own) else { return nil }
      return Completion(
        label: stated + name, kind: .file, detail: entry.declaration?.summary ?? entry.problem ?? "", span: span)
    }
    let folders =
      (typed == "." || typed == ".." ? ["../"] : []) + names.filter { $0.hasSuffix("/") }.map { stated + $0 }
    return found + folders.map { Completion(label: $0, kind: .folder, span: span) }
  }

  // MARK: Executors and events

  /// Returns completions for an executor. After a comma, these are the options of the executor.
  private func executors(_ location: EditingLocation, _ span: TextSpan, _ bytes: [UInt8]) -> [Completion] {
    let typed = String(decoding: bytes[location.start..<max(location.start, location.offset)], as: UTF8.self)
    guard let comma = typed.utf8.lastIndex(of: UInt8(ascii: ",")) else {
      let builtIn = [
        (ExecutorAddress.local, "this process"), ("\(ExecutorAddress.workers)=4", "processes of this machine"),
        ("\(ExecutorAddress.slurm)=8", "allocations of Slurm"),
      ]
      let external = (surroundings?.executors ?? []).map { ("\($0)=", "an executor of a plugin") }
      return (builtIn + external).map { Completion(label: $0.0, kind: .value, detail: $0.1, span: span) }
    }
    let parts = typed.split(separator: ",").map { $0.prefix { $0 != "=" }.trimmingPrefix { $0 == " " } }
    let start = location.start + typed.utf8.distance(from: typed.startIndex, to: comma) + 1
    let options = parts.first.flatMap { ExecutorAddress.optionNames[String($0)] } ?? ExecutorAddress.commonOptions
    return options.filter { option in !parts.dropFirst().contains { $0 == option } }.map {
      Completion(label: "\($0)=", kind: .key, span: TextSpan(start, max(start, span.end)))
    }
  }

  /// Returns the known events if the cursor is in an input that names an event, and nil otherwise.
  private func eventInput(_ location: EditingLocation, _ span: TextSpan) -> [Completion]? {
    let keys = location.keys
    guard location.path.count == 4, WorkflowKey.holdsSteps(keys[0]), keys[2] == StepKey.with.rawValue,
      let declaration = declaration(ofStepNamed: keys[1])
    else { return nil }
    if declaration.calls?.event == keys[3] { return events(span, repeatingOnly: true) }
    guard declaration.eventFromInput == keys[3] else { return nil }
    let posted = Set(events(span).map(\.label))
    return awaitedEvents(span).filter { !posted.contains($0.label) } + events(span)
  }

  /// Returns the events that steps wait for but that nothing declares or posts.
  private func awaitedEvents(_ span: TextSpan) -> [Completion] {
    let known = check?.knownEvents() ?? []
    let awaited = Set(workflow.steps.filter(\.hasOptions).flatMap(\.options.after)).subtracting(known)
    return awaited.sorted().map { Completion(label: $0, kind: .event, detail: "a step waits for it", span: span) }
  }

  private func events(_ span: TextSpan, repeatingOnly: Bool = false) -> [Completion] {
    let summaries = Dictionary(workflow.events.map { ($0.name, $0.summary) }) { first, _ in first }
    let names =
      repeatingOnly ? Set(workflow.events.filter(\.repeats).map(\.name)) : check?.knownEvents() ?? []
    return names.sorted().map {
      Completion(label: $0, kind: .event, detail: summaries[$0] ?? "", span: span)
    }
  }

  /// Returns the steps that can be added to `needs`: all except the step itself, its direct and indirect dependents,
  /// and the steps that it already lists.
  private func steps(_ location: EditingLocation, _ span: TextSpan) -> [Completion] {
    let keys = location.keys
    let own = keys.count > 1 ? step(named: keys[1]) : nil
    var excluded: Set<Int> = []
    if let own {
      excluded = stepsAfter(own)
      excluded.formUnion(otherDependencies(of: own, except: location.offset))
    }
    return workflow.steps.indices.filter { !excluded.contains($0) && !workflow.steps[$0].id.text.isEmpty }.map {
      Completion(
        label: workflow.steps[$0].id.text, kind: .step, detail: workflow.steps[$0].uses, span: span)
    }
  }

  /// Returns the steps that a step lists in `needs`, without the entry at `offset`.
  private func otherDependencies(of step: Int, except offset: Int) -> Set<Int> {
    guard let check, let node = check.node(.needs, of: step) else { return [] }
    let elements = check.tree.kind(node) == .sequence ? check.tree.elements(node) : []
    return Set(
      elements.compactMap { element in
        let span = check.tree.span(element)
        if span.start <= offset, offset <= span.end { return nil }
        return check.tree.text(of: element).flatMap { check.stepIndex(like: $0) }
      })
  }

  /// Returns a step and all of its direct and indirect dependents.
  func stepsAfter(_ step: Int) -> Set<Int> {
    var successors: [Int: [Int]] = [:]
    for index in workflow.steps.indices {
      for need in workflow.steps[index].needs { successors[Int(need), default: []].append(index) }
    }
    var found: Set<Int> = [step]
    var open = [step]
    while let current = open.popLast() {
      for next in successors[current] ?? [] where found.insert(next).inserted { open.append(next) }
    }
    return found
  }

  /// Returns all direct and indirect dependencies of a step.
  func stepsBefore(_ step: Int) -> Set<Int> {
    var found: Set<Int> = []
    var open = [step]
    while let current = open.popLast() {
      for need in workflow.steps[current].needs where found.insert(Int(need)).inserted { open.append(Int(need)) }
    }
    return found
  }

  /// Returns the typed number with each unit, or some common durations if nothing has been typed. Returns an empty
  /// array if the typed text does not end with a number.
  private func durations(_ location: EditingLocation, _ span: TextSpan, _ bytes: [UInt8]) -> [Completion] {
    let typed = String(decoding: bytes[location.start..<max(location.start, location.offset)], as: UTF8.self)
    let number = String(typed.reversed().prefix { $0.isNumber || $0 == "." }.reversed())
    let before = typed.dropLast(number.count)
    let units = [("ms", "milliseconds"), ("s", "seconds"), ("m", "minutes"), ("h", "hours")]
    guard number.first?.isNumber == true else {
      guard typed.isEmpty else { return [] }
      return ["100ms", "1s", "30s"].map { Completion(label: $0, kind: .unit, span: span) }
    }
    return units.map { Completion(label: before + number + $0.0, kind: .unit, detail: $0.1, span: span) }
  }

  // MARK: Expressions

  /// Returns the offset where the expression at the cursor begins, or nil if the cursor is not in an expression.
  private func expressionStart(_ location: EditingLocation, _ slot: EditingSlot, _ bytes: [UInt8]) -> Int? {
    guard location.position == .value || location.isBlockText else { return nil }
    var lineStart = location.offset
    while lineStart > 0, bytes[lineStart - 1] != 0x0A, bytes[lineStart - 1] != 0x0D { lineStart -= 1 }
    let text = bytes[lineStart..<location.offset]
    var position = text.endIndex - 1
    while position >= text.startIndex {
      if position + 1 < text.endIndex, bytes[position] == 0x7D, bytes[position + 1] == 0x7D { break }
      if position + 2 < text.endIndex, bytes[position] == 0x24, bytes[position + 1] == 0x7B, bytes[position + 2] == 0x7B
      {
        return position + 3
      }
      position -= 1
    }
    guard case .shape(let shape, _) = slot else { return nil }
    if case .expression = shape { return location.start }
    guard location.start < location.offset else { return nil }
    switch shape {
    case .booleanOrExpression, .deferral:
      // For a key with fixed values, these values are proposed first. Only a period or an operator shows that an
      // expression is meant.
      let typed = bytes[location.start..<location.offset]
      return typed.allSatisfy({ $0.isNamePart && $0 != UInt8(ascii: ".") }) ? nil : location.start
    default: return nil
    }
  }
}

extension UInt8 {
  /// True for characters that can occur in names of steps, actions, events and fields.
  var isNamePart: Bool {
    (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z"))
      || (self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")) || self == UInt8(ascii: "-")
      || self == UInt8(ascii: "_") || self == UInt8(ascii: ".") || self == UInt8(ascii: "/")
  }
}
