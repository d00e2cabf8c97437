import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A workflow in `Tests/BrokenWorkflows`. The file next to it contains the expected output of loading it.
struct BrokenWorkflow: CustomTestStringConvertible {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("BrokenWorkflows")

  static let all: [BrokenWorkflow] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted().map { BrokenWorkflow(name: String($0.dropLast(5))) }
  }()

  let name: String

  var testDescription: String { name }

  var bytes: [UInt8] {
    get throws { Array(try Data(contentsOf: Self.folder.appendingPathComponent("\(name).yaml"))) }
  }

  var result: LoadResult {
    get throws { WorkflowLoader(catalog: TestCatalog.standard).load(bytes: try bytes, file: "\(name).yaml") }
  }

  private var snapshotURL: URL { Self.folder.appendingPathComponent("\(name).txt") }

  var snapshot: String {
    get throws { String(decoding: try Data(contentsOf: snapshotURL), as: UTF8.self) }
  }

  func record(_ text: String) throws { try Data(text.utf8).write(to: snapshotURL) }
}

struct BrokenWorkflowTests {
  /// `RECORD_SNAPSHOTS=1` records the output again and makes the test fail once, so that someone reviews the change.
  @Test(arguments: BrokenWorkflow.all)
  func `a broken workflow has exactly the recorded diagnostics`(workflow: BrokenWorkflow) throws {
    let text = try workflow.result.rendered()
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try workflow.record(text)
      Issue.record("recorded again")
    }
    #expect(try text == workflow.snapshot)
  }

  @Test(arguments: BrokenWorkflow.all)
  func `loading returns a graph if and only if there is no error`(workflow: BrokenWorkflow) throws {
    let result = try workflow.result
    #expect(!result.diagnostics.isEmpty)
    #expect((result.graph == nil) == result.diagnostics.containsError)
  }

  @Test(arguments: BrokenWorkflow.all)
  func `a broken workflow has a diagnostic with the code in its file name`(workflow: BrokenWorkflow) throws {
    let codes = Set(try workflow.result.diagnostics.map(\.code.rawValue))
    #expect(codes.contains { workflow.name.hasPrefix($0) } || workflow.name == "everything-at-once")
  }

  @Test func `the tests cover every diagnostic code`() throws {
    var shown = Set(try BrokenWorkflow.all.flatMap { try $0.result.diagnostics.map(\.code) })
    shown.formUnion(OtherDiagnosticTests.codes)
    shown.formUnion(ManifestTests.codes)
    // The `ProgramCheckTests` of the plugin host cover this code, because it requires files.
    shown.insert(.programMissing)
    // The `NamedFilesTests` cover these codes, because they require files.
    shown.formUnion([.missingFile, .doubtfulPattern])
    // The `VariableCheckTests` cover this code, because it depends on the environment.
    shown.insert(.recordedVariable)
    // The `CompiledFileTests` cover this code, because it requires a damaged file.
    shown.insert(.compiledFile)
    #expect(DiagnosticCode.allCases.filter { !shown.contains($0) } == [])
  }
}
