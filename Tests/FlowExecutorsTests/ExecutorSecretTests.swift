import Foundation
import TestSupport
import Testing

/// The output of workers that end unexpectedly may contain secrets of the run, which must be hidden.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ExecutorSecretTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-away-\(UUID().uuidString)"
  private let secret = "hunter2-is-\"quoted\"/\(UInt64.random(in: 0 ... .max))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  /// Creates a program that prints secrets before it starts the worker. It stands in for `ssh` or `srun`.
  private func writeTransport(_ script: String) throws {
    try write("#!/bin/sh\n\(script)\n", to: "transport")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/transport")
  }

  private func run(_ arguments: String...) throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(arguments, in: folder, environment: ["TOKEN": secret])
  }

  /// Expects that neither the printed output nor the files in the folder contain the secret.
  private func expectHidden(_ results: [FlowrunProcess.Result]) throws {
    for result in results {
      #expect(!result.output.contains(secret), "\(result.output)")
      #expect(!result.errors.contains(secret), "\(result.errors)")
    }
    let inside = Array(secret.utf8)
    let escaped = Array(secret.replacing("\"", with: "\\\"").utf8)
    for file in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
      guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
      #expect(bytes.firstRange(of: inside) == nil && bytes.firstRange(of: escaped) == nil, "\(file)")
    }
  }

  private let workflow = """
    name: away
    secrets: { token: { env: TOKEN } }
    steps:
      a:
        run: '[ "$FLOWRUN_ATTEMPT" != 1 ] || { kill -9 $PPID; sleep 60; }'
        env: { TOKEN: "${{ secrets.token }}" }

    """

  @Test func `secrets printed by a lost worker's transport are hidden in output, pages and the run history`()
    throws
  {
    try write(workflow, to: "flow.yaml")
    try writeTransport(
      """
      echo "carrier of $TOKEN" >&2
      '\(FlowrunProcess.path)' "$@"
      status=$?
      echo "sh: env TOKEN=$TOKEN flowrun: killed" >&2
      exit $status
      """)
    let on = "workers=1,worker=\(folder)/transport"
    let lost = try run("flow.yaml", "--on", on, "--report", "report.json", "--trace", "trace.json")
    #expect(lost.exitCode == 0, "\(lost)")
    #expect(
      lost.output.contains("is started again") && lost.output.contains("env TOKEN=*** flowrun: killed"), "\(lost)")
    let page = try run("flow.yaml", "--on", on, "--report", "report.html", "--json")
    #expect(page.exitCode == 0, "\(page)")
    let shown = try [
      run("runs", "show", "last", "--log"), run("runs", "export", "last"), run("analyze", "report.json"),
    ]
    try expectHidden([lost, page] + shown)
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `the failure of a step whose workers are lost reveals no secrets`() throws {
    try write(workflow.replacing(#"[ "$FLOWRUN_ATTEMPT" != 1 ]"#, with: "false"), to: "flow.yaml")
    try writeTransport("'\(FlowrunProcess.path)' \"$@\"; echo \"lost with $TOKEN\" >&2; exit 1")
    let result = try run(
      "flow.yaml", "--on", "workers=2,worker=\(folder)/transport", "--report", "report.json", "--trace", "trace.json")
    #expect(result.exitCode == 1)
    #expect(result.output.contains("executor-lost") && result.output.contains("lost with ***"), "\(result)")
    try expectHidden([result, run("runs", "show", "last", "--log"), run("runs", "export", "last")])
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `the error for an executor that cannot be opened reveals no secrets`() throws {
    try write(workflow, to: "flow.yaml")
    try writeTransport("echo \"no host for $TOKEN\" >&2; exit 255")
    let result = try run("flow.yaml", "--on", "workers=1,worker=\(folder)/transport", "--report", "report.json")
    #expect(result.exitCode == 2)
    #expect(result.errors.contains("no host for ***"), "\(result.errors)")
    try expectHidden([result])
    try FileManager.default.removeItem(atPath: folder)
  }
}
