import FlowModel
import Testing

@testable import FlowCLI

struct `A summary for GitHub` {
  @Test func `a summary has the result of the run, the causes of failures and the results of steps`() throws {
    let account = try RunAccountExample.account(
      "failure",
      [
        "fetch": RunAccountExample.step("success", 0, 250, attempts: 2),
        "test": RunAccountExample.step("failure", 250, 1234, error: ("exit-code", "ended with 2:\n  ``` | <b>")),
        "publish": RunAccountExample.step("skipped", nil, 1234, attempts: 0, ["reason": "upstream-failed"]),
      ], warnings: ["a *star*"])
    #expect(
      GitHubSummary.text(account) == """
        ### build: failure

        1.234 s, steps: 1 success, 1 failure, 1 skipped

        - warning: a \\*star\\*

        **test** failed: exit-code

        ````text
        ended with 2:
          ``` | <b>
        ````

        | step | result | time | attempts |
        |---|---|---:|---:|
        | fetch | success | 250 ms | 2 |
        | test | failure | 984 ms | 1 |
        | publish | skipped: upstream-failed |  | 0 |


        """)
  }

  @Test func `a summary is cut after a step at 1 MiB, and states how many steps are omitted`() throws {
    let message = String(repeating: "x", count: 16_000)
    let steps = ValueObject((0..<100).map { ("s\($0)", RunAccountExample.step("failure", error: ("e", message))) })
    let account = try RunAccountExample.account("failure", steps)
    let text = GitHubSummary.text(account)
    #expect(text.utf8.count <= 1 << 20)
    let shown = text.split(separator: "\n").count { $0.hasPrefix("**s") }
    #expect(
      text.hasSuffix(
        "_Left out: \(100 - shown) of 100 failed steps, and the table of all steps. GitHub shows at most 1 MiB._\n"))
    #expect((1 << 20) - text.utf8.count < 16_200)
  }

  @Test func `the last row of a summary is kept if it fits exactly, and omitted if one byte is missing`() throws {
    let account = try RunAccountExample.account(
      "success", ValueObject((0..<50).map { ("step\($0)", RunAccountExample.step("success")) }))
    let whole = GitHubSummary.text(account)
    #expect(whole.contains("| step49 |"))
    // Until the last step has been added, 128 bytes are reserved for the line about omitted steps.
    let room = whole.utf8.count - 1 + 128
    #expect(GitHubSummary.text(account, room: room) == whole)
    let cut = GitHubSummary.text(account, room: room - 1)
    #expect(cut.contains("| step48 |") && !cut.contains("| step49 |"))
    #expect(cut.hasSuffix("_Left out: 1 of 50 steps. GitHub shows at most 1 MiB._\n"))
    #expect(GitHubSummary.text(account, room: 100).isEmpty)
  }

  @Test func `a summary never exceeds the available space`() throws {
    let account = try RunAccountExample.account(
      "failure", ValueObject((0..<20).map { ("s\($0)", RunAccountExample.step("failure", error: ("e", "no"))) }))
    for room in stride(from: 0, to: 2_500, by: 13) {
      #expect(GitHubSummary.text(account, room: room).utf8.count <= room)
    }
  }
}
