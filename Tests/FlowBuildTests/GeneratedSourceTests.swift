import FlowBuild
import FlowKit
import Foundation
import TestSupport
import Testing

/// Compiles the code that the build plugin generates for names that are not valid in Swift.
@Suite(.timeLimit(.minutes(10))) struct GeneratedSourceTests {
  private static let interface = #"""
    name: self
    actions:
      self.init:
        summary: "The first */ \\ \\(x)"
        inputs:
          values: { type: string }
          self: { type: integer, default: 1 }
          type: { type: string, enum: [type, self, all-cases, raw-value, placeholder, "", a b], default: self }
          in: { type: object, properties: { values: { type: number }, init: { type: boolean, required: false } } }
        outputs:
          values: { type: array, items: { type: string, enum: [a-1, a1] } }
          a-1: { type: string, enum: [x] }
          a1: { type: string, enum: [y], required: false }
          any: { type: any }
          time: { type: duration }
        events: [all-cases, self, raw-value, hash-value]
        errors:
          init: { summary: No, retryable: false }
          self: { summary: No, retryable: true }
      self.a-1: { summary: One, inputs: { x: { type: string } } }
      self.a1: { summary: The other one, inputs: { x: { type: string } } }
    """#

  private static let workflow = """
    name: type
    inputs:
      values: { type: string }
      init: { type: string, required: false }
      self: { type: string, enum: [none, some, default], default: none }
    events: [map.first-use, map-first-use, 1st, default, "Type", init]
    steps:
      self: { uses: self.init, with: { values: x, in: { values: 1 } } }
      a-outputs: { uses: self.a1, with: { x: y } }
      a: { uses: self.init, with: { values: x, in: { values: 1 } }, foreach: [1, 2] }
      no-workflow: { uses: self.init, with: { values: x, in: { values: 1 } } }
      type: { uses: self.a-1, with: { x: y } }
    outputs:
      values: ${{ steps.self.outputs.any }}
      self: ${{ steps.self.outputs.time }}
    """

  private static let schema = "schema: n\ncollections: { notes: { fields: { title: { type: string } } } }\n"

  /// An app that uses the generated code of the plugin.
  private static let app = """
    final class Mine: SelfActions {
      func init_(_ input: SelfPlugin.InitInput, in context: ActionContext) throws -> SelfPlugin.InitOutput {
        guard input.self_ == 1, input.type != .type, input.`in`.init_ == nil else { throw SelfPlugin.InitError.self_("") }
        try context.post(Events.allCases_)
        return .init(values_: [.a_1], a_1: .x, any: .null, time: .seconds(1))
      }
      func a_1(_ input: SelfPlugin.A_1Input, in context: ActionContext) {}
      func a1(_ input: SelfPlugin.A1Input, in context: ActionContext) {}
    }

    func launch(_ options: RunOptions) async throws {
      let engine = Engine { SelfPlugin(Mine()) }
      let run = try engine.start(Workflows.type, .init(values_: "x", self_: .default), options: options)
      run.post(Events.map_first_use)
      run.post(Events.`default`)
      let outputs: Value? = await run.outputs.values_
      let items: [Swift.Duration?]? = run.outputs(of: Workflows.Type_.Steps.a)?.time
      let step: StepKey<NoWorkflowOutputs> = Workflows.Type_.Steps.aOutputs
      print(outputs as Any, items as Any, step, Workflows.self_, Workflows.launch)
      print(Schemas.all.count, Schemas.init_, Schemas._1stList)
      try await engine.run(Workflows.type, .init(values_: "y"), options: options) { run in _ = await run.gate }
    }
    """

  @Test(arguments: [false, true])
  func `generated code for names that are invalid in Swift compiles in programs and libraries`(isLibrary: Bool) throws {
    var request = PackageBuild.Request()
    request.workflows = ["/a/type.yaml", "/a/self.yaml", "/a/Launch.yaml"]
    request.ownInterfaces = ["/a/self.plugin.yaml"]
    request.pluginFiles = ["/a/init.sync.yaml", "/a/1st list.sync.yaml"]
    request.products = ["SyncRecords"]
    request.isLibrary = isLibrary
    let build = PackageBuild(request, kinds: [.schemas]) { file in
      if file.hasSuffix(".sync.yaml") { return Array(Self.schema.utf8) }
      return Array((file.hasSuffix(".plugin.yaml") ? Self.interface : Self.workflow).utf8)
    }
    let source = try #require(build.source, "\(build.messages)")
    #expect((source.firstRange(of: "public enum Workflows") != nil) == isLibrary)

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("generated-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try source.write(toFile: "\(folder)/Workflows.swift", atomically: true, encoding: .utf8)
    try ("import FlowKit\n" + Self.app).write(toFile: "\(folder)/App.swift", atomically: true, encoding: .utf8)
    // The generated code is compiled with the modules of this test.
    let built = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    let maps = try FileManager.default.contentsOfDirectory(atPath: built).filter {
      $0.hasPrefix("CFlow") && !$0.contains("-tool")
    }
    .map { "-Xcc -fmodule-map-file='\(built)/\($0)/module.modulemap'" }
    let result = try Shell.run(
      """
      swiftc -typecheck -swift-version 6 -warnings-as-errors -parse-as-library -module-name App \
        -I '\(built)/Modules' \(maps.joined(separator: " ")) '\(folder)'/*.swift 2>&1
      """)
    #expect(result.status == 0, "\(result.output)")
  }
}
