import FlowDiagnostics
import FlowExpressions
import FlowModel

/// The names in a workflow and all places where they occur: steps, events, inputs, outputs and queues, and names that
/// are declared in included files.
package struct SymbolTable: Sendable {
  /// A step, event, input, output or queue with its name.
  package struct Symbol: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
      case step, event, input, output, queue
    }

    package var kind: Kind
    /// The name as declared. References to steps and inputs may be written in another case.
    package var name: String
  }

  /// A place in the file where a name occurs.
  package struct Occurrence: Sendable, Hashable {
    package var symbol: Symbol
    package var span: TextSpan
    /// True for a definition: the id of a step, the name of an input, or an event that is declared or posted.
    package var isDefinition: Bool
  }

  /// A reference to a name that an included file declares.
  package struct Link: Sendable, Hashable {
    /// The path of the included file as written in the step.
    package var file: String
    /// The symbol in that file: an input, an output or an event.
    package var symbol: Symbol
    package var span: TextSpan
  }

  /// The references to symbols in included files.
  package private(set) var links: [Link] = []
  /// All occurrences in file order.
  package private(set) var occurrences: [Occurrence] = []
  /// Strings that may contain further references: their expressions are invalid, or their references cannot be located.
  package private(set) var unclear: [TextSpan] = []

  private let check: WorkflowCheck
  private let catalogEvents: Set<String>

  init(_ check: WorkflowCheck) {
    self.check = check
    catalogEvents = Set(LifecycleEvent.allCases.map(\.rawValue)).union(
      check.actions.entries.flatMap { $0.declaration?.events ?? [] })
    collect()
    var seen: Set<Occurrence> = []
    occurrences = occurrences.filter { seen.insert($0).inserted }.sorted { $0.span < $1.span }
  }

  /// Returns the occurrence that contains `offset`, or else the one that ends there, or nil.
  package func occurrence(at offset: Int) -> Occurrence? {
    occurrences.first { $0.span.start <= offset && offset < $0.span.end }
      ?? occurrences.first { $0.span.start <= offset && offset <= $0.span.end }
  }

  /// Returns the reference to an included file that contains `offset`, or else the one that ends there, or nil.
  package func link(at offset: Int) -> Link? {
    links.first { $0.span.start <= offset && offset < $0.span.end }
      ?? links.first { $0.span.start <= offset && offset <= $0.span.end }
  }

  package func occurrences(of symbol: Symbol) -> [Occurrence] { occurrences.filter { $0.symbol == symbol } }

  /// True if flowrun or a plugin defines the name, rather than the file.
  package func isForeign(_ symbol: Symbol) -> Bool {
    switch symbol.kind {
    case .event: catalogEvents.contains(symbol.name)
    case .queue: Queue.builtIn.contains(symbol.name)
    case .step, .input, .output: false
    }
  }

  // MARK: Collecting occurrences

  private var tree: NodeTree { check.tree }

  private mutating func add(_ kind: Symbol.Kind, _ node: NodeID, isDefinition: Bool = false) {
    guard let name = tree.text(of: node), !name.isEmpty else { return }
    let location = tree.resolve(node)
    guard let start = tree.sourceOffset(of: location, textOffset: 0) else {
      unclear.append(tree.span(location))
      return
    }
    // `build/done` is the event `done` in the file that the step `build` includes.
    if kind == .event, let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")),
      let step = check.stepIndex(like: String(name[..<slash])), let file = includedFile(step)
    {
      let rest = String(name[name.index(after: slash)...])
      let middle = start + name.utf8.count - rest.utf8.count
      occurrences.append(
        Occurrence(
          symbol: Symbol(kind: .step, name: check.name(step)), span: TextSpan(start, middle - 1), isDefinition: false))
      links.append(
        Link(
          file: file, symbol: Symbol(kind: .event, name: rest), span: TextSpan(middle, start + name.utf8.count)))
      return
    }
    occurrences.append(
      Occurrence(
        symbol: Symbol(kind: kind, name: name), span: TextSpan(start, start + name.utf8.count),
        isDefinition: isDefinition))
  }

  /// Returns the path of the file that a step includes, as written, or nil if the step uses an action.
  private func includedFile(_ step: Int) -> String? {
    let uses = check.workflow.steps[step].uses
    return IncludeLibrary.isFile(uses) ? uses : nil
  }

  private func members(_ node: NodeID) -> [MemberCursor.Member] {
    guard tree.kind(node) == .mapping else { return [] }
    var ignored: [Diagnostic] = []
    var cursor = tree.members(of: node, failures: &ignored)
    var result: [MemberCursor.Member] = []
    while let member = cursor.next(in: tree) { result.append(member) }
    return result
  }

  private mutating func collect() {
    let locations = check.locations
    if let node = locations.value(.inputs) {
      for member in members(node) { add(.input, member.key, isDefinition: true) }
    }
    if let node = locations.value(.queues) {
      for member in members(node) { add(.queue, member.key, isDefinition: true) }
    }
    if let node = locations.value(.events) {
      let declared = tree.kind(node) == .sequence ? tree.elements(node) : members(node).map(\.key)
      for node in declared { add(.event, node, isDefinition: true) }
    }
    if let node = locations.value(.defaults), let queue = tree.member("queue", of: node) { add(.queue, queue.value) }
    if let node = locations.value(.env) { expressions(below: node) }
    if let node = locations.value(.environmentFile) { expressions(below: node) }
    if let node = locations.value(.secrets) { expressions(below: node) }
    if let node = locations.value(.deadline) { expressions(below: node) }
    if let node = locations.value(.outputs) {
      for member in members(node) { add(.output, member.key, isDefinition: true) }
      expressions(below: node)
    }
    for step in locations.steps.indices { collect(step) }
  }

  private mutating func collect(_ step: Int) {
    let location = check.locations.steps[step]
    add(.step, location.key, isDefinition: true)
    let declaration = check.actions.declaration(ofStep: step)
    for member in members(location.value) {
      guard let key = tree.text(of: member.key).flatMap(StepKey.init(rawValue:)) else { continue }
      switch key {
      case .needs, .after:
        for node in tree.kind(member.value) == .sequence ? tree.elements(member.value) : [member.value] {
          add(key == .needs ? .step : .event, node)
        }
      case .queue: add(.queue, member.value)
      case .condition, .enabled, .deferral: condition(member.value)
      case .with:
        if let input = declaration?.eventFromInput, let event = tree.member(input, of: member.value),
          let text = tree.text(of: event.value), !Template.containsExpression(text)
        {
          add(.event, event.value, isDefinition: true)
        }
        if let call = declaration?.calls, let event = tree.member(call.event, of: member.value),
          let text = tree.text(of: event.value), !Template.containsExpression(text)
        {
          add(.event, event.value)
        }
        if let file = includedFile(step) { linkInputs(below: member.value, of: file) }
        expressions(below: member.value)
      case .foreach:
        if let event = tree.member(ForeachKey.event.rawValue, of: member.value) { add(.event, event.value) }
        expressions(below: member.value)
      default: expressions(below: member.value)
      }
    }
  }

  private mutating func linkInputs(below node: NodeID, of file: String) {
    for member in members(node) {
      let key = tree.resolve(member.key)
      guard let name = tree.text(of: key), let start = tree.sourceOffset(of: key, textOffset: 0) else {
        unclear.append(tree.span(key))
        continue
      }
      links.append(
        Link(file: file, symbol: Symbol(kind: .input, name: name), span: TextSpan(start, start + name.utf8.count)))
    }
  }

  private mutating func expressions(below node: NodeID) {
    switch tree.kind(node) {
    case .mapping: for member in members(node) { expressions(below: member.value) }
    case .sequence: for element in tree.elements(node) { expressions(below: element) }
    case .scalar, .alias:
      let location = tree.resolve(node)
      let text = tree.text(location)
      guard Template.containsExpression(text) else { return }
      guard let template = try? check.workflow.texts.template(text) else { return unclear.append(tree.span(location)) }
      for (offset, expression) in template.expressions { references(of: expression, offset, in: location) }
    }
  }

  private mutating func condition(_ node: NodeID) {
    let location = tree.resolve(node)
    guard let text = tree.text(of: location), case .string? = tree.scalarValue(location) else { return }
    guard let (offset, expression) = try? check.workflow.texts.condition(text) else {
      return unclear.append(tree.span(location))
    }
    references(of: expression, offset, in: location)
  }

  private mutating func references(of expression: Expression, _ offset: Int, in node: NodeID) {
    let source = Array(expression.source.utf8)
    for reference in expression.references {
      guard let key = reference.path.first else { continue }
      let kind: Symbol.Kind
      let name: String
      switch reference.name.lowercased() {
      case "steps":
        kind = .step
        name = check.stepIndex(like: key).map { check.name($0) } ?? key
      case "inputs":
        kind = .input
        name = check.inputs.field(like: key)?.name ?? key
      default: continue
      }
      // Nothing else can match between the context's name and the key, so the first match is the key.
      let from = reference.offset + reference.name.utf8.count
      let wanted = Array(key.utf8)
      guard
        let found = (from..<max(from, min(source.count, reference.offset + reference.length) - wanted.count + 1)).first(
          where: { source[$0...].starts(with: wanted) }),
        let start = tree.sourceOffset(of: node, textOffset: offset + found)
      else {
        unclear.append(tree.span(node))
        continue
      }
      occurrences.append(
        Occurrence(
          symbol: Symbol(kind: kind, name: name), span: TextSpan(start, start + wanted.count), isDefinition: false))
      if kind == .step { linkOutput(of: reference, in: source, from: found + wanted.count, offset, node) }
    }
  }

  /// Links `steps.build.outputs.path` to the output in the file that `build` includes.
  private mutating func linkOutput(
    of reference: ContextReference, in source: [UInt8], from location: Int, _ offset: Int, _ node: NodeID
  ) {
    guard reference.path.count > 2, reference.path[1].lowercased() == "outputs",
      let file = check.stepIndex(like: reference.path[0]).flatMap(includedFile)
    else { return }
    let name = reference.path[2]
    let wanted = Array(name.utf8)
    let end = min(source.count, reference.offset + reference.length)
    let first = location + "outputs".utf8.count
    guard
      let found = (first..<max(first, end - wanted.count + 1)).first(where: { source[$0...].starts(with: wanted) }),
      // The search starts after the word `outputs`, which a period or a bracket may follow.
      let start = tree.sourceOffset(of: node, textOffset: offset + found)
    else { return unclear.append(tree.span(node)) }
    links.append(
      Link(file: file, symbol: Symbol(kind: .output, name: name), span: TextSpan(start, start + wanted.count)))
  }
}

extension WorkflowDocument {
  /// Returns all names with their occurrences, or nil if the text could not be read.
  package func symbols() -> SymbolTable? { check.map(SymbolTable.init) }
}
