import Foundation
import Testing

/// The record of a run that has exceeded its timeout.
@Suite(.timeLimit(.minutes(10))) struct `The record of a cancelled run` {
  @Test func `the record of a cancelled run has the same reasons for skipped steps as its report`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: w
      timeout: 1s
      steps:
        long: { run: sleep 60 }
        next: { run: 'true', needs: long }
        last: { run: 'true', needs: next }
        some: { run: 'true', needs: last, optional: true }
        items: { foreach: [1, 2, 3], parallel: 1, run: sleep 60 }
        of-items: { foreach: [1, 2], needs: items, run: 'true' }
      finally: { end: { run: 'true', if: "${{ success() }}" } }

      """, to: "w.yaml")
    #expect(try tool.run("w.yaml", "--report", "report.json").exitCode == 1)
    let shown = try tool.run("runs", "show", "last", "--json").standardOutput
    func reasons(_ text: String) throws -> [String: String] {
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      let steps = try #require(object?["steps"] as? [String: [String: Any]])
      var found: [String: String] = [:]
      for (name, step) in steps {
        found[name] = "\(step["conclusion"] ?? "") \(step["reason"] as? String ?? "-")"
        for (index, item) in ((step["items"] as? [[String: Any]]) ?? []).enumerated() {
          found["\(name)[\(index)]"] = "\(item["conclusion"] ?? "") \(item["reason"] as? String ?? "-")"
        }
      }
      return found
    }
    let written = try reasons(try tool.text(of: "report.json"))
    #expect(try reasons(shown) == written)
    #expect(written["next"] == "skipped run-cancelled" && written["last"] == "skipped run-cancelled", "\(written)")
  }
}
