import Foundation
import TestSupport

/// Runs the real program `flowrun` in a temporary folder.
struct CommandLineTool {
  /// The working folder of the program. ``remove()`` deletes it.
  let folder: URL

  /// The result of one run of the program.
  struct Output: Equatable {
    var exitCode: Int32
    var standardOutput: String
    var standardError: String
  }

  /// Creates an empty folder for the test.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-cli-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes text to a file in the folder. Missing subfolders are created.
  func write(_ text: String, to name: String) throws {
    let file = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Returns the text of a file in the folder.
  func text(of name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  /// Runs `flowrun` with these arguments and waits until it ends.
  func run(_ arguments: String..., input: String = "") throws -> Output { try run(arguments, input: input) }

  /// Runs `flowrun` with these arguments and waits until it ends.
  func run(_ arguments: [String], input: String = "") throws -> Output {
    let result = try FlowrunProcess.run(arguments, in: folder.path, input: input)
    return Output(exitCode: result.exitCode, standardOutput: result.output, standardError: result.errors)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
