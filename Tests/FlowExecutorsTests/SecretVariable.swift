import Foundation
import TestSupport
import Testing

/// A run whose secret comes from an environment variable. The variable must reach neither commands nor the transports
/// of workers.
struct SecretVariable {
  let folder: String
  /// The text by which the process of the transport is found in command lines.
  let transport: String

  func write() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try #"""
    name: secret
    secrets: { token: { env: DEPLOY_TOKEN } }
    steps:
      a:
        run: |
          echo "here: ${DEPLOY_TOKEN-unset}"
          for process in $(pgrep -f -- "$CARRIER" | grep -vx $$); do
            tr '\0' '\n' < /proc/$process/environ
          done 2>/dev/null | grep -q ^DEPLOY_TOKEN= && echo "carrier: set" || echo "carrier: unset"
          pgrep -f -- "$CARRIER" | grep -vxc $$
        env: { CARRIER: '\#(transport)' }
      b: { run: 'echo "given: $GIVEN" | tr a-z A-Z', env: { GIVEN: "${{ secrets.token }}" } }

    """#.write(toFile: "\(folder)/secret.yaml", atomically: true, encoding: .utf8)
  }

  func check(
    _ arguments: [String], _ environment: [String: String] = [:], hidesFromTransport: Bool = true
  ) throws {
    let result = try FlowrunProcess.run(
      ["secret.yaml"] + arguments, in: folder,
      environment: environment.merging(["DEPLOY_TOKEN": "hunter2-and-more"]) { $1 })
    #expect(result.exitCode == 0, "\(result)")
    #expect(result.output.contains("a: here: unset"), "\(result)")
    if hidesFromTransport { #expect(result.output.contains("a: carrier: unset"), "\(result)") }
    #expect(!result.output.contains("a: 0\n"), "the transport is not '\(transport)': \(result)")
    #expect(result.output.contains("GIVEN: HUNTER2-AND-MORE"), "who is given the secret has it: \(result)")
  }
}
