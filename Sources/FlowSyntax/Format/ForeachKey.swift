import FlowModel

/// The keys of `foreach` in its mapping form.
enum ForeachKey: String, FormatKey {
  case items, axes, exclude, include, files, event, parallel
  case failFast = "fail-fast"
  case deadline

  static let owner = "foreach"

  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofForeach: foreign) }
  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofForeach: foreign) }

  var row: KeyRow {
    switch self {
    case .items: KeyRow(.any, "A list, a mapping, or an expression that gives one: the step runs once for each item")
    case .axes:
      KeyRow(
        .named(.field, .any),
        "A mapping of lists: the step runs once for each combination, varying the last key fastest")
    case .exclude:
      KeyRow(.list(of: .values, isNonempty: false), "Combinations to leave out, each a mapping of some of the axes")
    case .include:
      KeyRow(
        .list(of: .values, isNonempty: false),
        "Mappings that extend the combinations whose axes they match; one that matches none is a combination of its own"
      )
    case .files:
      KeyRow(
        .fileNames,
        "A path or pattern, or a list of them: the step runs once for each file, item.path, .name, .stem, .extension, .folder"
      )
    case .event:
      KeyRow(
        .eventName, "An event that repeats: the step runs once for each post, and ends when no more posts are possible")
    case .parallel:
      KeyRow(
        .integer(1...Limits.items), "How many items may run at once; without it, as many as threads and queues allow")
    case .failFast:
      KeyRow(
        .boolean, default: "true", "true: a failed item ends the others; false: all run, and the step fails at the end")
    case .deadline:
      KeyRow(.duration, "The maximum of all items together, from the start of the first; the step's own is each item's")
    }
  }
}
