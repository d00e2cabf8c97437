import FlowInsight
import FlowModel
import Testing

struct `A budget` {
  @Test(arguments: [
    (
      "p95(gate) <= 2.5s", BudgetRule.Subject.gate(.p95), BudgetRule.Comparison.atMost,
      BudgetRule.Limit.duration(.milliseconds(2_500))
    ),
    ("median( ready )<4s", .ready(.median), .below, .duration(.seconds(4))),
    ("p99(step:open-store) <= 120ms", .step(StepID("open-store")!, .p99), .atMost, .duration(.milliseconds(120))),
    ("max(step:build/compile) < 1m", .step(StepID(unchecked: "build/compile"), .max), .below, .duration(.seconds(60))),
    ("missed <= 1%", .missed, .atMost, .share(0.01)),
    ("failed < 0.5 %", .failed, .below, .share(0.005)),
    ("p50(gate) >= 2s", .gate(.p50), .atLeast, .duration(.seconds(2))),
    ("median(gate) <= baseline*1.05", .gate(.median), .atMost, .baseline(1.05)),
    ("missed <= baseline", .missed, .atMost, .baseline(1)),
  ])
  func `a budget consists of a subject, a comparison and a limit`(
    text: String, subject: BudgetRule.Subject, comparison: BudgetRule.Comparison, limit: BudgetRule.Limit
  ) throws {
    let rule = try BudgetRule(parsing: text)
    #expect(rule.subject == subject && rule.comparison == comparison && rule.limit == limit && rule.text == text)
  }

  @Test(arguments: [
    ("", "write a subject"), ("gate <= 2s", "'gate' is not a subject"), ("p93(gate) <= 2s", "'p93' is not a function"),
    ("p95(gat) <= 2s", "'gat' cannot be measured by a budget"),
    ("p95(step:) <= 2s", "cannot be measured by a budget"),
    ("p95(gate) <= 2", "write 2s or 2ms"), ("p95(gate) <= NaN", "'NaN' does not start with a number"),
    ("missed <= 2s", "are shares of runs"), ("p95(gate) <= 5%", "compare a time with a duration"),
    ("missed <= 101%", "not a share"), ("missed <= nan%", "not a share"), ("missed <= -1%", "not a share"),
    ("p95(gate) <= baseline*0", "a factor above 0"), ("p95(gate) <= baseline*inf", "a factor above 0"),
    ("p95(gate) <= baseline + 5ms", "write 'baseline'"), (String(repeating: "p", count: 257), "longer than 256 bytes"),
  ])
  func `a budget that cannot be parsed causes an error with an example of a valid one`(text: String, help: String) {
    #expect {
      try BudgetRule(parsing: text)
    } throws: { error in
      (error as? BudgetRule.RuleProblem)?.help.contains(help) == true
    }
  }

  @Test func `a budget counts as exceeded if the event never happened, but not if the event was not measured`() throws {
    let rule = try BudgetRule(parsing: "p95(gate) <= 2s")
    #expect(BudgetResult(rule, value: nil).isBroken)
    #expect(!BudgetResult(rule, value: nil, isMeasured: false).isBroken)
    #expect(!BudgetResult(rule, value: 2_000).isBroken && BudgetResult(rule, value: 2_000.001).isBroken)
    let least = try BudgetRule(parsing: "p50(gate) >= 2s")
    #expect(BudgetResult(least, value: 1_999).isBroken && !BudgetResult(least, value: nil).isBroken)
  }

  @Test func `a budget with a baseline limits a value to a multiple of the earlier value`() throws {
    let rule = try BudgetRule(parsing: "median(gate) <= baseline*1.5")
    #expect(
      !BudgetResult(rule, value: 150, baseline: 100).isBroken && BudgetResult(rule, value: 151, baseline: 100).isBroken)
  }
}
