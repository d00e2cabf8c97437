/// Words of other tools' expressions and their equivalents in flowrun.
enum ForeignWords {
  /// Returns the replacement for a word between two operands, or nil if it is not a known operator.
  static func remedy(forOperator word: String) -> String? {
    switch word.lowercased() {
    case "and": "'and' is '&&'"
    case "or": "'or' is '||'"
    case "not": "'not' is '!'"
    case "is", "eq": "equality is '=='"
    case "in": "write contains(list, item)"
    case "*": noArithmetic
    case _ where (word.first == "-" || word.first == "+") && word.count > 1: noArithmetic
    default: nil
    }
  }

  /// The remedy for an arithmetic operator.
  static let noArithmetic = "there is no arithmetic in expressions"

  /// Returns the replacement for a context's name, or nil if the name is unknown.
  static func remedy(forName word: String) -> String? {
    switch word.lowercased() {
    case "not": "'not' is '!'"
    case "none", "nil", "undefined": "write null"
    case "github", "gitlab", "ci": "there is no CI around a run: read inputs, env, launch or run"
    case "needs": "read a step's outputs as steps.<id>.outputs.<name>, its result as steps.<id>.outcome"
    case "jobs", "job", "tasks", "task": "read steps as steps.<id>.outputs.<name>, .outcome or .conclusion"
    case "matrix", "strategy":
      ExpressionDialect.workflow.names.contains("item")
        ? "in a step with 'foreach' the current element is 'item'" : "write a step for each; there is no matrix"
    case "vars", "params", "parameters", "var": "read a run's inputs as inputs.<name>, variables as env.<name>"
    case "runner": "a run is on this machine: read run or env"
    case "workflow": "a run's id is run.id; read its inputs as inputs.<name>"
    default: nil
    }
  }

  /// Returns the function that has another name in other tools, or nil if there is none.
  static func counterpart(ofFunction word: String) -> String? {
    switch word.lowercased() {
    case "succeeded": "success"
    case "failed": "failure"
    default: nil
    }
  }

  /// Returns the replacement for a function, or nil if it is unknown.
  static func remedy(forFunction word: String) -> String? {
    switch word.lowercased() {
    case "hashfiles": "there is no such function; let a command compare the files"
    case "not": "'not' is '!'"
    case "default": "write value || default"
    case "len", "length", "size", "count":
      "there is no such function; a list is not empty where toJSON(list) != '[]', a text where text != ''"
    default: nil
    }
  }
}
