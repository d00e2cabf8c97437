/// Words that other tools use in expressions, with suggestions of what to write in flowrun instead.
enum ForeignWords {
  /// Returns a suggestion for an operator of another tool, or nil if the word is not an operator.
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

  /// The suggestion for an arithmetic operator, which expressions do not support.
  static let noArithmetic = "there is no arithmetic in expressions"

  /// Returns a suggestion for the name of a context in another tool, or nil if the name is not known.
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

  /// Returns flowrun's name for a function that other tools call `word`, or nil if `word` is not known.
  static func counterpart(ofFunction word: String) -> String? {
    switch word.lowercased() {
    case "succeeded": "success"
    case "failed": "failure"
    default: nil
    }
  }

  /// Returns a suggestion for the name of a function in another tool, or nil if the name is not known.
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
