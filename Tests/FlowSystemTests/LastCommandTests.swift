import Foundation
import TestSupport
import Testing

@testable import FlowSystem

@Suite(.timeLimit(.minutes(10))) struct LastCommandTests {
  private let file = FileManager.default.temporaryDirectory.path + "/flowrun-last-\(UUID().uuidString)"

  private func command() throws -> LastCommand {
    try LastCommand(
      ["sh", "-c", "echo $WHAT >> \(file)"], environment: ["WHAT": "given-back", "PATH": "/usr/bin:/bin"])
  }

  private func lines() -> [Substring] {
    (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: "\n") ?? []
  }

  @Test func `a last command runs three times on request`() throws {
    let command = try command()
    #expect(lines().isEmpty)
    command.run()
    #expect(within(seconds: 40) { lines().count >= 3 })
    #expect(lines() == ["given-back", "given-back", "given-back"])
    try FileManager.default.removeItem(atPath: file)
  }

  @Test func `a last command runs when its owner is deallocated`() throws {
    do { _ = try command() }
    #expect(within(seconds: 40) { !lines().isEmpty })
    #expect(lines().first == "given-back")
  }

  @Test func `a last command never runs if it is dropped`() throws {
    // If the dropped command ran, it would do so before the other command does.
    let dropped = try command()
    dropped.drop()
    dropped.run()
    let other = try LastCommand(["sh", "-c", "echo x >> \(file)-other"], environment: ["PATH": "/usr/bin:/bin"])
    other.run()
    #expect(within(seconds: 40) { FileManager.default.fileExists(atPath: file + "-other") })
    #expect(lines().isEmpty)
  }
}
