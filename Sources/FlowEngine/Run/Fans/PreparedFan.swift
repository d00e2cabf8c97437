import FlowExpressions
import FlowModel

/// What a step runs for, with its expressions parsed.
struct PreparedFan: Sendable {
  private enum Source: Sendable {
    case items(PreparedValue)
    case axes(PreparedObject, exclude: PreparedValue)
    case posts(of: String)
  }

  private let source: Source
  /// Whether its `if` is asked for each item.
  let asksForEachItem: Bool

  init(_ fan: FanOut, condition: Expression?) throws(ExpressionError) {
    switch fan.source {
    case .items(let value): source = .items(try PreparedValue(value))
    case .axes(let axes, let exclude):
      source = .axes(try PreparedObject(axes), exclude: try PreparedValue(.array(exclude)))
    case .posts(let event): source = .posts(of: event)
    }
    asksForEachItem = condition?.readsItem ?? false
  }

  /// The items as they are now; throws why there are none to be had.
  func values(in scope: RunScope) throws(StepFailure) -> FanValues {
    let given: Value
    let excluded: Value
    do throws(ExpressionError) {
      switch source {
      case .items(let value): (given, excluded) = (try value.evaluate(in: scope), .null)
      case .axes(let axes, let exclude):
        (given, excluded) = (.object(try axes.evaluate(in: scope)), try exclude.evaluate(in: scope))
      case .posts(let event):
        return FanValues(values: scope.plan.posts(of: event).map { scope.value(of: $0) })
      }
    } catch {
      throw StepFailure(code: "expression", message: "foreach: \(error.description)")
    }
    let values = if case .axes = source { try Self.product(given, excluded) } else { try Self.items(given) }
    guard values.values.count <= Limits.items else {
      throw Self.tooMany("there are \(values.values.count) items, but at most \(Limits.items) may be")
    }
    return values
  }

  /// The event of whose posts the items are; nil: they are no posts.
  var event: String? { if case .posts(let event) = source { event } else { nil } }

  private static func items(_ value: Value) throws(StepFailure) -> FanValues {
    switch value {
    case .array(let values): return FanValues(values: values)
    case .object(let members): return FanValues(values: members.map(\.value), keys: members.map(\.key))
    default:
      throw StepFailure(
        code: "not-a-list", message: "foreach: expected is a list or an object, found \(value.shortText)")
    }
  }

  /// Every combination of the axes' values, the first turning slowest, but for those that are excluded.
  private static func product(_ axes: Value, _ exclude: Value) throws(StepFailure) -> FanValues {
    var items: [ValueObject] = [[:]]
    for (name, list) in axes.objectValue ?? [:] {
      guard let values = list.arrayValue else {
        throw StepFailure(
          code: "not-a-list", message: "foreach: expected is a list for '\(name)', found \(list.shortText)")
      }
      // The excluded ones among them need not fit, but something must bound what is made here.
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
    return FanValues(values: items.map { .object($0) })
  }

  private static func tooMany(_ message: String) -> StepFailure {
    StepFailure(code: "too-many-items", message: "foreach: \(message)")
  }
}

extension Expression {
  /// Whether it reads the item that it is asked for.
  var readsItem: Bool { references.contains { ItemContext.names.contains($0.name.lowercased()) } }
}
