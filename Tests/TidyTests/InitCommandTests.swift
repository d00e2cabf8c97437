import Foundation
import TestSupport
import Testing

/// Tests `flowrun init` as it is used in the README.
@Suite(.timeLimit(.minutes(10))) struct InitCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "init-\(UInt64.random(in: 0 ... .max))")

  private func flowrun(_ arguments: String...) throws -> FlowrunProcess.Result {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try FlowrunProcess.run(arguments, in: folder.path)
  }

  private func text(of name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  @Test func `init writes the workflow from the installation guide, and the workflow runs`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let written = try flowrun("init")
    #expect(written.exitCode == 0 && written.output == "wrote release.yaml\n\nRun it:\n  flowrun release.yaml\n")
    let block = try #require(Block.all(in: Repository.text("docs/install.md")).first { $0.name == "release.yaml" })
    #expect(try text(of: "release.yaml") == block.text)
    #expect(try flowrun("release.yaml").exitCode == 0)
  }

  @Test func `init never overwrites a file, and suggests another name`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try flowrun("init", "mine.yaml").exitCode == 0)
    try "mine".write(to: folder.appendingPathComponent("mine.yaml"), atomically: true, encoding: .utf8)
    let again = try flowrun("init", "mine.yaml")
    #expect(again.exitCode == 64)
    #expect(
      again.errors == "flowrun: 'mine.yaml' already exists; name another file, such as flowrun init release-2.yaml\n")
    #expect(try text(of: "mine.yaml") == "mine")
    // A link whose target is missing must not be replaced either.
    try FileManager.default.createSymbolicLink(
      atPath: folder.appendingPathComponent("link.yaml").path, withDestinationPath: "nowhere.yaml")
    #expect(try flowrun("init", "link.yaml").exitCode != 0)
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("nowhere.yaml").path))
  }

  @Test func `init reports a missing folder`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try flowrun("init", "no/such/folder.yaml")
    #expect(result.exitCode == 74 && result.errors.contains("no/such/folder.yaml"), "\(result.errors)")
  }

  @Test func `init leaves no file behind if the disk is full`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let status = try Shell.run("ulimit -f 0; exec '\(FlowrunProcess.path)' init 2> /dev/null", in: folder.path).status
    #expect(status == 74)
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("release.yaml").path))
  }
}
