import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSecrets
import FlowSyntax
import Testing

@testable import FlowCLI

/// Invented reports of runs for tests. They are written and read like real ones.
enum RunAccountExample {
  /// Returns a step that ran from `start` to `end`. `members` are added, or replace existing ones.
  static func step(
    _ outcome: String, _ start: Double? = 0, _ end: Double? = 10, attempts: Int = 1, error: (String, String)? = nil,
    _ members: ValueObject = [:]
  ) -> Value {
    var step: ValueObject = [
      "outcome": .string(outcome), "conclusion": .string(outcome), "reason": nil, "attempts": .integer(attempts),
      "queue": "user-initiated", "readyAt": start.map { .number($0) } ?? nil,
      "startedAt": start.map { .number($0) } ?? nil, "endedAt": end.map { .number($0) } ?? nil,
      "waitedMilliseconds": nil, "overrunMilliseconds": nil, "abandoned": false, "deferred": false, "blocking": false,
      "error": error.map { ["code": .string($0.0), "message": .string($0.1)] } ?? nil,
    ]
    for (key, value) in members { step[key] = value }
    return .object(step)
  }

  /// Returns an item of a step, in the form of a report.
  static func item(_ index: Int, _ outcome: String, key: String? = nil, error: (String, String)? = nil) -> Value {
    [
      "index": .integer(index), "key": key.map { .string($0) } ?? nil, "outcome": .string(outcome),
      "conclusion": .string(outcome), "reason": nil, "attempts": 1, "startedAt": 1, "endedAt": 2, "abandoned": false,
      "error": error.map { ["code": .string($0.0), "message": .string($0.1)] } ?? nil,
    ]
  }

  /// Returns the report of a run with these steps.
  static func report(
    _ conclusion: String, _ steps: ValueObject, gate: ValueObject = [:], warnings: [Value] = []
  ) throws -> RunReport {
    var gateMembers: ValueObject = [
      "outcome": "ready", "openedAt": nil, "readyAt": nil, "heldByMinMilliseconds": 0, "late": [], "failed": [],
      "min": 0, "max": nil,
    ]
    for (key, value) in gate { gateMembers[key] = value }
    return try RunReport([
      "schema": 2, "workflow": "build", "runId": "0f8c", "conclusion": .string(conclusion),
      "gate": .object(gateMembers),
      "launchReason": "user", "durationMilliseconds": 1234, "entries": [], "prewarmMilliseconds": 0,
      "mainQueueMilliseconds": 0, "criticalPath": [], "steps": .object(steps), "events": [], "outputs": [:],
      "warnings": .array(warnings),
    ])
  }

  /// Returns the account of a report. The run has the file `build.yaml` and started at the beginning of 2026-11-23 UTC.
  static func account(
    _ conclusion: String, _ steps: ValueObject, gate: ValueObject = [:], warnings: [Value] = [],
    secrets: ValueObject = [:], file text: String? = nil
  ) throws -> RunAccount {
    let mask = secrets.isEmpty ? nil : SecretMask(secrets.map { ($0.key, $0.value.stringValue ?? "") })
    var account = RunAccount(
      try report(conclusion, steps, gate: gate, warnings: warnings), file: "build.yaml", mask: mask,
      activatedAtNanoseconds: 1_795_392_000_000_000_000)
    account.loaded = text.map {
      WorkflowLoader(catalog: ActionRegistry(BuiltInPlugins.all)).load(bytes: Array($0.utf8), file: "build.yaml")
    }
    return account
  }
}

extension Value {
  /// The member of an object, or nil if there is none or the value is not an object.
  subscript(key: String) -> Value? { objectValue?[key] }
}
