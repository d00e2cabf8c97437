import Foundation
import TestSupport
import Testing

/// Tests that the examples on each plugin's page are working workflows.
@Suite(.timeLimit(.minutes(10))) struct `The examples on the plugins' pages` {
  @Test(arguments: ["flow", "shell", "storage", "footprint", "preferences", "ui"])
  func `run successfully`(_ plugin: String) throws {
    let page = URL(filePath: LaunchRun.folder).deletingLastPathComponent().appending(
      path: "plugins/\(plugin)/README.md")
    let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```yaml\n").dropFirst()
    #expect(!blocks.isEmpty)
    let folders = try DataFolders()
    for (index, block) in blocks.enumerated() {
      let file = folders.folder("\(index).yaml")
      try block.components(separatedBy: "```")[0].write(toFile: file, atomically: true, encoding: .utf8)
      let result = try FlowrunProcess.run([file, "--data", folders.folder("data-\(index)")])
      #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
      #expect(result.output.contains(": success in "))
    }
  }
}
