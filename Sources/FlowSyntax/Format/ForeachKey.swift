import FlowModel

/// The keys of `foreach`, if it is a mapping.
enum ForeachKey: String, FormatKey {
  case items, axes, exclude, include, files, event, parallel
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
    case .files: .fileNames
    case .event: .eventName
    case .parallel: .integer(1...Limits.items)
    case .failFast: .boolean
    case .deadline: .duration
    }
  }

  var defaultText: String? { self == .failFast ? "true" : nil }

  var summary: String {
    switch self {
    case .items: "A list, a mapping, or an expression that gives one: the step runs once for each item"
    case .axes: "A mapping of lists: the step runs once for each combination, varying the last key fastest"
    case .exclude: "Combinations to leave out, each a mapping of some of the axes"
    case .include:
      "Mappings that extend the combinations whose axes they match; one that matches none is a combination of its own"
    case .files:
      "A path or pattern, or a list of them: the step runs once for each file, item.path, .name, .stem, .extension, .folder"
    case .event:
      "An event that repeats: the step runs once for each post, and ends when no more posts are possible"
    case .parallel: "How many items may run at once; without it, as many as threads and queues allow"
    case .failFast: "true: a failed item ends the others; false: all run, and the step fails at the end"
    case .deadline: "The maximum of all items together, from the start of the first; the step's own is each item's"
    }
  }
}
