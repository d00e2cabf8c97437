/// The documentation of a function. It is created from the tables that the parser uses.
package struct FunctionPage: Sendable, Hashable {
  package let name: String
  /// An example of a call, such as `contains(search, item)`.
  package let signature: String
  /// A one-sentence description of the function's result.
  package let summary: String
  /// True if the function checks the outcomes of other steps. Only an `if` can call such a function.
  package let isStatusFunction: Bool
  /// True if the function is flowrun's own and missing in GitHub Actions.
  package let isOwn: Bool

  /// The documentation of the function, in Markdown.
  package var text: String {
    "`\(signature)`\n\n\(summary)." + (isOwn ? " It is flowrun's own: GitHub Actions does not have it." : "")
  }

  package static let all: [FunctionPage] =
    Function.allCases.map {
      FunctionPage(
        name: $0.rawValue, signature: "\($0.rawValue)(\($0.parameters))", summary: $0.summary, isStatusFunction: false,
        isOwn: $0.isOwn)
    }
    + StatusFunction.allCases.map {
      FunctionPage(
        name: $0.rawValue, signature: "\($0.rawValue)()", summary: $0.summary, isStatusFunction: true, isOwn: false)
    }
}

extension Function {
  fileprivate var parameters: String {
    switch self {
    case .contains: "search, item"
    case .startsWith: "text, beginning"
    case .endsWith: "text, end"
    case .format: "text, value…"
    case .join: "list, separator"
    case .toJSON: "value"
    case .fromJSON: "text"
    case .choose: "condition, value, …, otherwise"
    case .trim, .lines: "text"
    case .split: "text, separator"
    case .replace: "text, part, replacement"
    case .first, .last: "text, count"
    }
  }

  fileprivate var summary: String {
    switch self {
    case .contains: "Whether a text holds another, or a list an element; case does not matter"
    case .startsWith: "Whether a text begins with another; case does not matter"
    case .endsWith: "Whether a text ends with another; case does not matter"
    case .format: "The text with {0}, {1} and so on replaced by the values"
    case .join: "The elements of a list as one text, with the separator between them, else a comma"
    case .toJSON: "The value as indented JSON"
    case .fromJSON: "The value of a JSON text"
    case .choose: "The value after the first condition that is true, otherwise the last argument"
    case .trim: "The text without white space at its ends"
    case .split: "The list of the parts of a text between the separators"
    case .replace: "The text with every occurrence of a part replaced"
    case .lines: "The list of the lines of a text"
    case .first: "The first lines of a text, as many as the count says; it may read an output that was cut"
    case .last: "The last lines of a text, as many as the count says; it may read an output that was cut"
    }
  }
}

extension StatusFunction {
  fileprivate var summary: String {
    switch self {
    case .success: "Whether every direct dependency is satisfied"
    case .failure: "Whether some direct dependency failed"
    case .cancelled: "Whether the run is being cancelled"
    case .always: "True, whatever happened"
    }
  }
}
