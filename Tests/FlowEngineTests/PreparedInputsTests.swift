import FlowModel
import FlowPluginKit
import Testing

@testable import FlowEngine

/// The inputs of a step that are known before the run starts.
struct PreparedInputsTests {
  private let fields = [
    FieldDeclaration("text", .string, default: "default"),
    FieldDeclaration("count", .integer, default: 7),
  ]
  private let paths = [FieldDeclaration("files", .array(of: .path(base: .data)))]

  private func inputs(_ given: ValueObject, _ fields: [FieldDeclaration]) throws -> PreparedInputs {
    PreparedInputs(try PreparedObject(given, Workflow(name: "test", steps: []).texts), fields: fields)
  }

  @Test func `literal inputs are bound and checked once, together with defaults`() throws {
    guard case .bound(let bound) = try inputs(["count": 3], fields) else {
      Issue.record("prepared otherwise")
      return
    }
    #expect(bound.values == ["text": "default", "count": 3])
    #expect(bound.problem == nil)
    guard case .bound(let wrong) = try inputs(["count": "three"], fields) else {
      Issue.record("prepared otherwise")
      return
    }
    #expect(wrong.problem?.code == "input")
    #expect(wrong.problem?.message.contains("count") == true, "\(wrong.problem?.message ?? "")")
  }

  @Test func `a step has no prepared inputs if neither the step nor its action has any`() throws {
    guard case .nothing = try inputs([:], []) else {
      Issue.record("prepared otherwise")
      return
    }
  }

  @Test func `paths are resolved in each run, and expressions are evaluated in each attempt`() throws {
    guard case .withPaths(let values) = try inputs(["files": ["a", "/b"]], paths) else {
      Issue.record("prepared otherwise")
      return
    }
    #expect(values == ["files": ["a", "/b"]])
    guard case .evaluated = try inputs(["text": "${{ inputs.x }}"], fields) else {
      Issue.record("prepared otherwise")
      return
    }
  }
}
