import FlowSystem
import Foundation
import TestSupport
import Testing

/// Products of remote steps that a shared file system shows with a delay.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LateProductTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-late-\(UUID().uuidString)"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try """
    name: late
    steps:
      make: { run: 'true', produces: [out] }

    """.write(toFile: "\(folder)/late.yaml", atomically: true, encoding: .utf8)
  }

  private func remove() throws { try FileManager.default.removeItem(atPath: folder) }

  /// Runs flowrun. Creates the product only after the step has ended and flowrun waits for the product.
  private func runMakingLate(_ arguments: [String]) throws -> FlowrunProcess.Result {
    let process = try FlowrunProcess(arguments, in: folder)
    #expect(process.waitForOutput("waiting up to 10m for 'out'"))
    try "late".write(toFile: "\(folder)/out", atomically: true, encoding: .utf8)
    return process.result()
  }

  @Test func `a run waits for late products of a remote step for as long as --files-within allows`() throws {
    defer { try? remove() }
    let worker = ["late.yaml", "--on", "workers=1", "--files-within"]
    let hasty = try FlowrunProcess.run(worker + ["0s"], in: folder)
    #expect(hasty.exitCode == 1 && hasty.output.contains("missing-product"), "\(hasty)")
    let patient = try runMakingLate(worker + ["10m"])
    #expect(patient.exitCode == 0, "\(patient)")
    let wrong = try FlowrunProcess.run(worker + ["soon"], in: folder)
    #expect(wrong.exitCode == 64 && wrong.errors.contains("--files-within 'soon'"), "\(wrong)")
  }

  @Test func `a resumed run also waits for products that appear late`() throws {
    defer { try? remove() }
    let first = try FlowrunProcess.run(["late.yaml", "--on", "workers=1", "--files-within", "0s"], in: folder)
    #expect(first.exitCode == 1, "\(first)")
    let resumed = try runMakingLate(["resume", "last", "--on", "workers=1", "--files-within", "10m"])
    #expect(resumed.exitCode == 0, "\(resumed)")
  }
}
