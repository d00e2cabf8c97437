/// A function that is available in every expression.
enum Function: String, CaseIterable, Sendable {
  case contains
  case startsWith
  case endsWith
  case format
  case join
  case toJSON
  case fromJSON
  case choose = "case"
  case trim
  case split
  case replace
  case lines
  case first
  case last

  /// True if the function is flowrun's own and missing in GitHub's dialect.
  var isOwn: Bool {
    switch self {
    case .trim, .split, .replace, .lines, .first, .last: true
    case .contains, .startsWith, .endsWith, .format, .join, .toJSON, .fromJSON, .choose: false
    }
  }

  var argumentCounts: ClosedRange<Int> {
    switch self {
    case .contains, .startsWith, .endsWith, .split, .first, .last: 2...2
    case .format: 1...Parser.argumentLimit
    case .join: 1...2
    case .toJSON, .fromJSON, .trim, .lines: 1...1
    case .replace: 3...3
    case .choose: 3...Parser.argumentLimit
    }
  }

  /// True if the result is a new string rather than an argument or a part of it.
  var makesItsResult: Bool {
    switch self {
    case .format, .join, .toJSON, .replace: true
    case .contains, .startsWith, .endsWith, .fromJSON, .choose, .trim, .split, .lines, .first, .last: false
    }
  }
}

/// Finds functions by name. Case is ignored.
enum FunctionTable {
  static func function(named name: String) -> Function? {
    Function.allCases.first { CaseFolding.areEqual($0.rawValue, name) }
  }

  static func statusFunction(named name: String) -> StatusFunction? {
    StatusFunction.allCases.first { CaseFolding.areEqual($0.rawValue, name) }
  }

  static func names(in dialect: ExpressionDialect) -> [String] {
    Function.allCases.map(\.rawValue) + (dialect.allowsStatusFunctions ? StatusFunction.allCases.map(\.rawValue) : [])
  }

  /// Returns the correct spelling of a function's name, or nil if there is no such function.
  static func name(matching word: String, in dialect: ExpressionDialect) -> String? {
    names(in: dialect).first { CaseFolding.areEqual($0, word) }
  }
}
