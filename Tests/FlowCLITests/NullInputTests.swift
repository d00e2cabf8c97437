import Foundation
import Testing

/// Inputs that can be left out, but must not be null. Otherwise, a null from an expression could, for example, cancel
/// all notifications.
@Suite(.timeLimit(.minutes(10))) struct `An input that may be left out but not be null` {
  private static let steps = [
    ("uses: notification.cancel", "id"), ("uses: sync.parked, needs: connect", "position"), ("run: touch ran", "cwd"),
    ("run: touch ran, service: true", "cwd"),
  ]

  private func workflow(_ step: String, _ input: String, _ value: String) -> String {
    """
    name: w
    inputs: { chosen: { type: any, required: false } }
    steps:
      connect: { uses: sync.connect, with: { device: a, store: shared.sqlite } }
      act: { \(step), with: { \(input): \(value) } }

    """
  }

  @Test(arguments: steps) func `an input that evaluates to null fails its step`(step: String, input: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(workflow(step, input, "\"${{ inputs.chosen }}\""), to: "w.yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 1, "\(result)")
    let text = result.standardOutput + result.standardError
    #expect(text.contains("with '\(input)': expected") && text.contains("found null"), "\(result)")
    #expect(text.contains("to use no '\(input)', leave the key out"), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/ran"))
  }

  @Test(arguments: steps) func `validate rejects an input that is written as null`(step: String, input: String) throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(workflow(step, input, "null"), to: "w.yaml")
    let result = try tool.run("validate", "w.yaml")
    let text = result.standardOutput + result.standardError
    #expect(result.exitCode == 2 && text.contains("[input-type]"), "\(result)")
    #expect(text.contains("= help: to use no '\(input)', leave the key out"), "\(result)")
  }
}
