import FlowExpressions
import FlowModel
import FlowPlatform

/// The `foreach` of a step, with its expressions parsed.
struct PreparedFanOut: Sendable {
  private enum Source: Sendable {
    case items(PreparedValue)
    case axes(PreparedObject, exclude: PreparedValue, include: PreparedValue)
    case files(PreparedValue)
    case posts(of: String)
  }

  private let source: Source
  /// True if the step's `if` reads the item and is therefore evaluated for each item.
  let asksForEachItem: Bool

  init(_ fanOut: FanOut, condition: Expression?, _ texts: WorkflowTexts) throws(ExpressionError) {
    switch fanOut.source {
    case .items(let value): source = .items(try PreparedValue(value, texts))
    case .axes(let axes, let exclude, let include):
      source = .axes(
        try PreparedObject(axes, texts), exclude: try PreparedValue(.array(exclude), texts),
        include: try PreparedValue(.array(include), texts))
    case .files(let patterns): source = .files(try PreparedValue(.array(patterns.map { .string($0) }), texts))
    case .posts(let event): source = .posts(of: event)
    }
    asksForEachItem = condition?.readsItem ?? false
  }

  /// True if the items are files. These are listed outside the run's lock.
  var isOfFiles: Bool { if case .files = source { true } else { false } }

  /// Returns the current items or, if the items are files, the patterns. Throws if an expression cannot be evaluated or
  /// there are too many items.
  func values(in scope: RunScope) throws(StepFailure) -> FanOutValues {
    let given: Value
    var (excluded, included) = (Value.null, Value.null)
    do throws(ExpressionError) {
      switch source {
      case .items(let value): given = try value.evaluate(in: scope)
      case .axes(let axes, let exclude, let include):
        given = .object(try axes.evaluate(in: scope))
        (excluded, included) = (try exclude.evaluate(in: scope), try include.evaluate(in: scope))
      case .files(let patterns):
        // An expression may return a list of paths, which is flattened here.
        let texts = try patterns.evaluate(in: scope, quoting: PatternText.quoted).arrayValue ?? []
        given = .array(texts.flatMap { $0.arrayValue ?? [$0] })
      case .posts(let event):
        return FanOutValues(scope.plan.posts(of: event).map { scope.value(of: $0) })
      }
    } catch {
      throw StepFailure(error, in: "foreach")
    }
    if case .files = source {
      for text in (given.arrayValue ?? []).compactMap(\.stringValue) {
        try StepFailure.checkNoNull(inPattern: text, of: "foreach")
      }
    }
    let values =
      if case .axes = source {
        try Self.combinations(of: given, without: excluded, with: included)
      } else {
        try Self.items(given)
      }
    guard values.count <= Limits.items else {
      throw Self.tooMany("there are \(values.count) items; the limit is \(Limits.items)")
    }
    return values
  }

  /// The event whose posts are the items, or nil if the items come from another source.
  var event: String? { if case .posts(let event) = source { event } else { nil } }

  private static func items(_ value: Value) throws(StepFailure) -> FanOutValues {
    switch value {
    case .array(let values): return FanOutValues(values)
    case .object(let members): return FanOutValues(members.map(\.value), keys: members.map(\.key))
    default:
      throw StepFailure(
        code: "not-a-list", message: "foreach: expected a list or an object, found \(value.shortText)")
    }
  }

  /// Returns the combinations of the axes' values without the excluded ones, followed by the included ones. The first
  /// axis changes most slowly.
  fileprivate static func combinations(
    of axes: Value, without exclude: Value, with include: Value
  ) throws(StepFailure) -> FanOutValues {
    var items: [ValueObject] = [[:]]
    for (name, list) in axes.objectValue ?? [:] {
      guard let values = list.arrayValue else {
        throw StepFailure(
          code: "not-a-list", message: "foreach: expected a list for '\(name)', found \(list.shortText)")
      }
      // Limit the number at each axis, even if exclusions would reduce it later.
      guard items.count * values.count <= 10 * Limits.items else {
        throw tooMany("the axes have more than \(10 * Limits.items) combinations")
      }
      items = items.flatMap { item in
        values.map { value in
          var item = item
          item[name] = value
          return item
        }
      }
    }
    let excluded = exclude.arrayValue?.compactMap(\.objectValue) ?? []
    items.removeAll { item in excluded.contains { part in part.allSatisfy { item[$0.key] == $0.value } } }
    let included = include.arrayValue?.compactMap(\.objectValue) ?? []
    // Each included combination is compared with all others.
    guard items.count * included.count <= 100 * Limits.items else {
      throw tooMany("'include' has \(included.count) combinations for \(items.count) of the axes")
    }
    return FanOutValues(including(included, in: items, axes: axes.objectValue ?? [:]).map { .object($0) })
  }

  /// Adds the included combinations by GitHub's rules. A combination that matches existing ones is merged into them: it
  /// never changes the value of an axis, but may change a value that an earlier included combination has added. A
  /// combination that matches none becomes a separate one.
  private static func including(
    _ included: [ValueObject], in combinations: [ValueObject], axes: ValueObject
  ) -> [ValueObject] {
    var (items, own) = (combinations, [ValueObject]())
    for part in included {
      let axisMembers = part.filter { axes[$0.key] != nil }
      var isTaken = false
      for index in items.indices where axisMembers.allSatisfy({ combinations[index][$0.key] == $0.value }) {
        for (name, value) in part { items[index][name] = value }
        isTaken = true
      }
      if !isTaken { own.append(part) }
    }
    return items + own
  }

  private static func tooMany(_ message: String) -> StepFailure {
    StepFailure(code: "too-many-items", message: "foreach: \(message)")
  }
}

extension FanOut {
  /// Returns the combinations of the axes' values without the excluded ones, followed by the included ones. Returns nil
  /// if an axis is not a list or there are too many combinations.
  package static func combinations(
    of axes: ValueObject, without exclude: [Value], with include: [Value]
  ) -> [Value]? {
    guard
      let items = try? PreparedFanOut.combinations(of: .object(axes), without: .array(exclude), with: .array(include)),
      items.count <= Limits.items
    else { return nil }
    return items.indices.map { items[$0] }
  }
}

extension Expression {
  /// True if the expression reads the item or its index or key.
  var readsItem: Bool { references.contains { ItemContext.names.contains($0.name.lowercased()) } }
}
