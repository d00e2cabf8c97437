import Foundation
import TestSupport
import Testing

/// Compares the workflows in `docs/foreach.md` with their outputs, and runs the workflow that is part of flowrun.
@Suite(.timeLimit(.minutes(10))) struct `The foreach page` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  @Test func `shows the actual output of its workflows`() throws {
    let page = try String(contentsOfFile: Self.root + "/docs/foreach.md", encoding: .utf8)
    let examples = page.matches(of: /(?s)```yaml\n(.*?)```\n```text\n(.*?)```/)
    #expect(examples.count == 5)
    for example in examples {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "flowrun-\(UInt64.random(in: 0 ... .max))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try String(example.output.1).write(
        to: folder.appendingPathComponent("page.yaml"), atomically: true, encoding: .utf8)
      let result = try FlowrunProcess.run(["page.yaml"], in: folder.path)
      for line in example.output.2.split(separator: "\n") {
        #expect(result.output.contains(line), "\(line)\nis not in\n\(result.output)\(result.errors)")
      }
    }
  }

  @Test func `releases.yaml builds and signs five combinations of system and chip in order`() throws {
    let result = try FlowrunProcess.run(["workflows/releases.yaml", "--no-history"], in: Self.root)
    #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
    let expected = ["linux-arm", "linux-x86", "mac-arm", "mac-x86", "windows-x86"]
    let signed = result.output.split(separator: "\n").filter { $0.contains("signed app-") && !$0.contains("]: ") }
    let apps = signed.suffix(5).map { line in line.split(separator: "signed ")[1].split(separator: ".tar")[0] }
    #expect(apps.map { String($0) } == expected.map { "app-" + $0 })
  }
}
