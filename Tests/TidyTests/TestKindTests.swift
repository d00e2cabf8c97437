import Foundation
import TestSupport
import Testing

/// Checks the output of `scripts/test --list`, which is the command that runs each suite.
struct `The commands that run the tests` {
  /// Returns patterns of suites, each with the command that runs the matching suites.
  private func patterns() throws -> [(pattern: String, command: String)] {
    let (status, output) = try Shell.run("'\(Repository.root.path)/scripts/test' --list")
    try #require(status == 0, "\(output)")
    return output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      .filter { $0[1].hasPrefix("^") }.map { (pattern: $0[1], command: $0[0]) }
  }

  /// Returns all tests of this program as `TARGET.SUITE/TEST`.
  private func tests() throws -> [String] {
    let program = CommandLine.arguments[0]
    let (status, output) = try Shell.run("'\(program)' --testing-library swift-testing --list-tests 2>/dev/null")
    try #require(status == 0)
    return output.split(separator: "\n").map(String.init)
  }

  @Test func `no test is run by two commands, and every pattern in a command matches a test`() throws {
    let patterns = try patterns()
    let expressions = try patterns.map { try Regex($0.pattern) }
    var commands: [String: Set<String>] = [:]
    var isUsed = Array(repeating: false, count: patterns.count)
    for test in try tests() {
      for (index, expression) in expressions.enumerated() where test.contains(expression) {
        if patterns[index].command != "part" { commands[test, default: []].insert(patterns[index].command) }
        isUsed[index] = true
      }
    }
    #expect(commands.filter { $0.value.count > 1 }.isEmpty)
    // These targets contain tests only with the trait Network.
    let needNetwork = [
      "^SyncServerTests[./]", "^FlowStorePostgresTests[./]", "^FlowUITests[./]", "^FlowObservabilityTests[./]",
      "^SyncMetricsTests[./]",
      "^SyncServerTests.ProcessHistoriesTests[./]", "^SyncServerTests.RecordHistoriesTests[./]",
    ]
    for (index, entry) in patterns.enumerated() where !isUsed[index] {
      #expect(needNetwork.contains(entry.pattern), "\(entry.pattern) matches no test")
    }
  }
}
