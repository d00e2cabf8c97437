import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ArgoExportTests {
  private static let workflows = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../workflows").standardizedFileURL.path

  static let examples = ((try? FileManager.default.contentsOfDirectory(atPath: workflows)) ?? [])
    .filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".sync.yaml") }.sorted()

  /// Checks that an exported workflow contains only fields that Argo has, and that its tasks refer to existing
  /// templates and earlier tasks. Returns the templates by name.
  private func check(_ text: String) throws -> [String: ValueObject] {
    let workflow = try JSONText.parse(text)
    #expect(ArgoFields.workflow.problems(workflow) == [])
    let spec = try #require(workflow.objectValue?["spec"]?.objectValue)
    let templates = try #require(spec["templates"]?.arrayValue).compactMap(\.objectValue)
    let names = templates.compactMap { $0["name"]?.stringValue }
    #expect(Set(names).count == templates.count, "\(names)")
    for name in names { #expect(name.wholeMatch(of: /[a-z]([-a-z0-9]{0,61}[a-z0-9])?/) != nil, "\(name)") }
    let whole = try #require(templates.first { $0["name"] == spec["entrypoint"] })
    let tasks = try #require(whole["dag"]?.objectValue?["tasks"]?.arrayValue).compactMap(\.objectValue)
    #expect(!tasks.isEmpty)
    var before: Set<Value> = []
    for task in tasks {
      #expect(names.contains(task["template"]?.stringValue ?? ""))
      for need in task["dependencies"]?.arrayValue ?? [] { #expect(before.contains(need)) }
      before.insert(task["name"] ?? .null)
    }
    return Dictionary(zip(names, templates)) { first, _ in first }
  }

  @Test(arguments: examples) func `each exported example is valid unless none of its steps can be translated`(
    _ name: String
  ) throws {
    let result = try FlowrunProcess.run(["export", "\(Self.workflows)/\(name)", "--format", "argo"])
    if result.output.isEmpty {
      #expect(result.exitCode == 4 && result.errors.contains("can be translated"), "\(result)")
    } else {
      _ = try check(result.output)
    }
  }

  @Test
  func
    `commands are exported with their dependencies, limits and attempts, under valid and unique names`()
    throws
  {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    let long = String(repeating: "a", count: 60)
    try tool.write(
      """
      name: Build & pack
      env: { WHO: "it's {{me}}" }
      steps:
        fetch: { run: echo fetched > source }
        com-pile: { run: cat source, needs: fetch, deadline: 90s, retry: { attempts: 4, delay: 2s, backoff: 2 } }
        com_pile: { run: [sh, -c, "echo {{x}}"], needs: fetch, optional: true, env: { B: "2" } }
        flowrun: { run: echo packed, needs: [com-pile, com_pile] }
        \(long)-a: { run: "true" }
        \(long)-b: { run: "true" }

      """, to: "flow.yaml")
    let result = try tool.run("export", "flow.yaml", "--format", "argo", "--image", "debian:12")
    #expect(result.exitCode == 0 && result.standardError.isEmpty, "\(result)")
    let templates = try check(result.standardOutput)
    #expect(templates.count == 7)
    #expect(templates["com-pile"]?["activeDeadlineSeconds"] == "90")
    #expect(templates["com-pile"]?["retryStrategy"]?.objectValue?["limit"] == "3")
    #expect(templates["com-pile-2"]?["container"]?.objectValue?["command"] == ["sh"])
    #expect(templates["com-pile-2"]?["container"]?.objectValue?["args"] == ["-c", "echo {{'{{'}}x}}"])
    #expect(templates["flowrun-2"] != nil)
  }

  @Test func `an absolute working folder is exported, and a relative one is omitted with a message`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: folders
      steps:
        inside: { run: make, with: { cwd: /usr/src } }
        beside: { run: make, with: { cwd: parts } }
      """, to: "flow.yaml")
    let result = try tool.run("export", "flow.yaml", "--format", "argo")
    #expect(result.exitCode == 4, "\(result)")
    #expect(
      result.standardError
        == "flowrun: step 'beside': its 'cwd' is left out: 'parts' starts at the workflow's folder, which no container has\n"
    )
    let templates = try check(result.standardOutput)
    #expect(templates["inside"]?["container"]?.objectValue?["workingDir"] == "/usr/src")
    #expect(templates["beside"]?["container"]?.objectValue?["workingDir"] == nil)
  }

  @Test func `export fails and writes nothing if no step of the workflow can be translated`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("name: x\nsteps: { a: { uses: flow.noop } }\n", to: "flow.yaml")
    for format in ["argo", "slurm"] {
      let result = try tool.run("export", "flow.yaml", "--format", format)
      #expect(result.exitCode == 4 && result.standardOutput.isEmpty)
      #expect(
        result.standardError == """
          flowrun: nothing of 'x' can be translated
          flowrun: step 'a' is left out: 'flow.noop' is not a command

          """)
    }
  }
}
