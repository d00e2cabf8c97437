import FlowDiagnostics
import FlowModel
import SyncCore

/// Checks a workflow's use of records before a run: the names of collections and fields, and literal values.
package struct RecordUse {
  private let schema: RecordSchema
  private let isOpen: (Value) -> Bool
  private let queryProblem: (String) -> RecordProblem?
  /// The problems found so far, in the order of the steps.
  package private(set) var diagnostics: [Diagnostic] = []

  /// Creates a check against a schema. `isOpen` returns true for a value that is known only during a run.
  /// `queryProblem` returns the problem with a `sync.query` statement.
  package init(
    _ schema: RecordSchema, isOpen: @escaping (Value) -> Bool,
    queryProblem: @escaping (String) -> RecordProblem? = { _ in nil }
  ) {
    self.schema = schema
    self.isOpen = isOpen
    self.queryProblem = queryProblem
  }

  /// Checks the inputs of a step that uses this action.
  package mutating func check(_ action: String, _ with: PlacedValue) {
    switch action {
    case "sync.put": checkWrite(with)
    case "sync.get", "sync.delete", "sync.watch": _ = collection(of: with)
    case "sync.query": checkQuery(with)
    case "sync.connect": if let wanted = with.member("subscribe") { checkSubscription(wanted.value) }
    case "sync.transaction":
      guard case .list(let writes)? = with.member("writes")?.value.content else { return }
      for write in writes {
        guard case .map(let members) = write.content else { continue }
        for member in members {
          if let problem = RecordInput.problem(withMember: member.key) { report(problem, at: member.keySpan) }
        }
        checkWrite(write)
      }
    default: break
    }
  }

  private mutating func collection(of with: PlacedValue) -> RecordSchema.Collection? {
    guard let value = with.member("collection")?.value, let name = text(value), !name.isEmpty else { return nil }
    do throws(RecordProblem) {
      return try schema.require(name)
    } catch {
      report(error, at: value.span)
      return nil
    }
  }

  /// Returns a string if its value is known before the run, or nil.
  private func text(_ value: PlacedValue) -> String? {
    guard case .scalar(.string(let text)) = value.content, !isOpen(.string(text)) else { return nil }
    return text
  }

  private mutating func report(_ problem: RecordProblem, at span: TextSpan) {
    diagnostics.append(Diagnostic(.inputRejected, problem.message, at: span, help: problem.help))
  }

  private mutating func checkQuery(_ with: PlacedValue) {
    guard let value = with.member("sql")?.value, let sql = text(value), let problem = queryProblem(sql) else { return }
    report(problem, at: value.span)
  }

  private mutating func checkSubscription(_ wanted: PlacedValue) {
    guard case .map(let members) = wanted.content else { return }
    if members.isEmpty, let problem = problem({ _ = try schema.subscription([:]) }) { report(problem, at: wanted.span) }
    for member in members {
      guard case .map(let filter) = member.value.content else {
        let value = known(member.value)?.value
        if let value, let problem = problem({ _ = try schema.subscription([member.key: value]) }) {
          report(problem, at: schema.collection(member.key) == nil ? member.keySpan : member.value.span)
        }
        continue
      }
      if let problem = problem({ _ = try schema.require(member.key) }) {
        report(problem, at: member.keySpan)
        continue
      }
      for field in filter {
        let value = known(field.value)?.value ?? .null
        guard let problem = problem({ _ = try schema.subscription([member.key: [field.key: value]]) }) else { continue }
        let isMistyped = schema.collection(member.key)?.field(field.key)?.rule.merge == .newest
        report(problem, at: isMistyped ? field.value.span : field.keySpan)
      }
    }
  }

  // MARK: Writing

  private mutating func checkWrite(_ with: PlacedValue) {
    guard let collection = collection(of: with), case .map(let fields)? = with.member("fields")?.value.content else {
      return
    }
    var replaces = false
    if case .scalar(let value)? = with.member("replace")?.value.content { replaces = value == true || isOpen(value) }
    let input = RecordInput(collection, replaces: replaces)
    for field in fields { check(field, collection, input) }
  }

  private mutating func check(
    _ member: PlacedValue.Member, _ collection: RecordSchema.Collection, _ input: RecordInput
  ) {
    guard let field = collection.field(member.key) else {
      if let problem = problem({ _ = try collection.require(member.key) }) { report(problem, at: member.keySpan) }
      return
    }
    func test(_ value: Value) -> RecordProblem? {
      problem { _ = try input.edit([member.key: value], isNew: false, seed: 0) }
    }
    // The unknown part of an increment is replaced by a number, and that of a set or list by an empty list.
    let filler: Value = field.rule.merge == .counter ? 1 : []
    let given = field.rule.merge == .list ? Self.withListedMoves(member.value) : member.value
    guard let (value, isWhole) = known(given, filler), isWhole || !field.rule.hasEpochs else { return }
    guard let problem = test(value) else { return }
    let (nearest, span) = part(of: given, filler, test) ?? (problem, given.span)
    report(nearest, at: span)
  }

  /// Wraps a single move in a list, because moves are always checked as a list.
  private static func withListedMoves(_ edit: PlacedValue) -> PlacedValue {
    guard case .map(var members) = edit.content else { return edit }
    for index in members.indices where members[index].key == "move" {
      let move = members[index].value
      if case .map = move.content { members[index].value = PlacedValue(content: .list([move]), span: move.span) }
    }
    return PlacedValue(content: .map(members), span: edit.span)
  }

  /// Returns the smallest part of a value that is invalid by itself, with its problem. Returns nil if there is no such
  /// part.
  private func part(
    of value: PlacedValue, _ filler: Value, _ test: (Value) -> RecordProblem?
  ) -> (RecordProblem, TextSpan)? {
    switch value.content {
    case .map(let members):
      for member in members {
        let known = known(member.value, filler)?.value ?? filler
        guard let problem = test([member.key: known]) else { continue }
        guard RecordInput.edits.contains(member.key) else { return (problem, member.keySpan) }
        return part(of: member.value, filler) { test([member.key: $0]) } ?? (problem, member.value.span)
      }
    case .list(let elements):
      for element in elements {
        guard let (value, isWhole) = known(element), isWhole, let problem = test([value]) else { continue }
        return (problem, element.span)
      }
    case .scalar: break
    }
    return nil
  }

  /// Returns the `RecordProblem` thrown by a closure, or nil. The compiler does not infer the typed errors of closures.
  private func problem(_ body: () throws -> Void) -> RecordProblem? {
    do {
      try body()
      return nil
    } catch {
      return error as? RecordProblem
    }
  }

  /// Returns the part of a value that is known before the run, or nil if none of it is known. In an object, an unknown
  /// member is replaced by `filler`. In a list, an element with an unknown part is left out.
  private func known(_ value: PlacedValue, _ filler: Value = .null) -> (value: Value, isWhole: Bool)? {
    switch value.content {
    case .scalar(let scalar): return isOpen(scalar) ? nil : (scalar, true)
    case .list(let elements):
      let parts = elements.compactMap { known($0) }.filter(\.isWhole).map(\.value)
      return (.array(parts), parts.count == elements.count)
    case .map(let members):
      var (object, isWhole) = (ValueObject(), true)
      for member in members {
        let part = known(member.value, filler)
        object[member.key] = part?.value ?? filler
        isWhole = isWhole && part?.isWhole == true
      }
      return (.object(object), isWhole)
    }
  }
}
