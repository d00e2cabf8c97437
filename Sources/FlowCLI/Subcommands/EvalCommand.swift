import ArgumentParser
import FlowCommandKit
import FlowExpressions
import FlowModel

/// `flowrun eval` evaluates expressions as workflows do.
struct EvalCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "eval",
    abstract: "Evaluates an expression.",
    discussion: """
      Prints {"kind":…,"value":…} or {"error":{"kind":…,"message":…}}; exit code 1 for an error. An expression that \
      begins with a minus must follow --, as in: flowrun eval -- '-1'
      Examples:
        flowrun eval "startsWith('flowrun', 'flow')"
        flowrun eval 'inputs.count > 3' --context values.json
      """)

  @Argument(help: ArgumentHelp("The expression, without ${{ }}.", valueName: "EXPRESSION"))
  var expression: String?

  @Option(help: ArgumentHelp("A JSON file whose members are the named values.", valueName: "FILE"))
  var context: String?

  @Flag(help: "Reads one object {\"expr\":…,\"contexts\":{…}} per line and writes one result per line.")
  var batch = false

  func perform() async throws {
    if batch {
      guard expression == nil, context == nil else {
        throw UsageProblem(
          "eval --batch reads expressions and contexts from standard input; leave those of the command line out")
      }
      return answerBatch()
    }
    guard let expression else {
      throw UsageProblem("eval needs an expression, such as: flowrun eval \"contains('abc', 'b')\"; or --batch")
    }
    let answer = EvalAnswer(expression, contexts: try contexts())
    StandardOutput.write(json: answer.value)
    if let error = answer.error {
      let help = error.help.map { "\n  = help: \($0)" } ?? ""
      StandardOutput.writeError("flowrun: \(error.message(in: expression))\(help)\n")
      ExitStatus.failure.exit()
    }
  }

  private func answerBatch() {
    var session = BatchSession()
    while let line = session.next() {
      switch line {
      case .success(let question): session.answer(EvalAnswer.answer(question))
      case .failure(let problem): session.answer(EvalAnswer.broken(problem.message))
      }
    }
    session.flush()
  }

  private func contexts() throws -> ValueObject {
    guard let context else { return [:] }
    let bytes = try FileAccess.read(context)
    let value: Value
    do throws(JSONProblem) {
      value = try JSONText.parse(bytes)
    } catch {
      throw UsageProblem("--context '\(context)' is not JSON: \(error)")
    }
    guard case .object(let contexts) = value else {
      throw UsageProblem("--context '\(context)' must hold a JSON object, not \(value.shortText)")
    }
    return contexts
  }
}
