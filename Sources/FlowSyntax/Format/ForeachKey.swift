import FlowModel

/// The keys of `foreach` where it is a map.
enum ForeachKey: String, FormatKey {
  case items, axes, exclude, include, event, parallel
  case failFast = "fail-fast"
  case deadline

  static let owner = "foreach"

  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofForeach: foreign) }
  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofForeach: foreign) }

  var shape: Shape {
    switch self {
    case .items: .any
    case .axes: .named(.field, .any)
    case .exclude, .include: .list(of: .values, isNonempty: false)
    case .event: .eventName
    case .parallel: .integer(1...Limits.items)
    case .failFast: .boolean
    case .deadline: .duration
    }
  }

  var defaultText: String? { self == .failFast ? "true" : nil }

  var summary: String {
    switch self {
    case .items: "A list, a map, or an expression that gives one: the step runs once for each item"
    case .axes: "A map of lists: the step runs once for each combination, the first key turning slowest"
    case .exclude: "Combinations of the axes that are left out, each a map of some of their keys"
    case .include:
      "Maps whose keys are added to the combinations in which they change no axis; one that fits none is a combination of its own"
    case .event:
      "An event that repeats: the step runs once for each of its posts, and ends when nobody could post any more"
    case .parallel: "How many items run at once at most; without it, what threads and queues allow"
    case .failFast: "true: an item that fails ends the others; false: all run, and the step fails at the end"
    case .deadline: "The maximum of all items together, from the start of the first; the step's own is each item's"
    }
  }
}
