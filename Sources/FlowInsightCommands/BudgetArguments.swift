import FlowCLI
import FlowCommandKit
import FlowModel

/// Parses the `--budget` options.
enum BudgetArguments {
  /// Returns the budget rules. Throws a usage error if a rule is invalid, or if it needs a baseline and there is none.
  static func read(_ arguments: [String], hasBaseline: Bool) throws(UsageProblem) -> [BudgetRule] {
    var rules: [BudgetRule] = []
    for argument in arguments {
      do throws(BudgetRule.RuleProblem) {
        rules.append(try BudgetRule(parsing: argument))
      } catch {
        throw UsageProblem("--budget '\(argument)': \(error.help)")
      }
      if !hasBaseline, rules[rules.count - 1].readsBaseline {
        throw UsageProblem("--budget '\(argument)': only 'flowrun compare' has a baseline")
      }
    }
    return rules
  }

  static func check(_ rules: [BudgetRule], of workflow: Workflow) throws(UsageProblem) {
    for rule in rules {
      guard let step = rule.step else { continue }
      _ = try StepArguments(workflow: workflow).step(step.text, "--budget '\(rule.text)'")
    }
  }
}
