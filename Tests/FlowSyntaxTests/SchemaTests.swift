import FlowDiagnostics
import FlowModel
import TestSupport
import Testing

@testable import FlowSyntax

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct SchemaTests {
  private let validator = SchemaValidator(root: WorkflowSchema(catalog: TestCatalog.standard).json())

  /// The rules that a schema can express for a YAML file. All other rules concern existing names, graphs and
  /// expressions.
  private static let sayable: Set<DiagnosticCode> = [
    .unknownKey, .missingKey, .wrongType, .unknownValue, .outOfRange, .invalidName, .invalidDuration, .noSteps,
    .invalidStepID, .unknownAction, .unknownInput, .missingInput, .inputType, .eventNotLiteral,
  ]

  /// A reader that does nothing except convert nodes to values.
  private struct ValueReader: DocumentReading {
    let tree: NodeTree
    var diagnostics: [Diagnostic] = []
  }

  /// Returns the value that an editor validates. Returns nil if the text is not YAML or has a key that JSON does not
  /// allow.
  private func document(_ bytes: [UInt8]) -> Value? {
    guard case .success(let tree) = YAMLParser.parse(SourceText(bytes, file: "test.yaml")), let root = tree.root else {
      return nil
    }
    var reader = ValueReader(tree: tree)
    let value = reader.value(root)
    return reader.diagnostics.isEmpty ? value : nil
  }

  private func expectAgreement(_ bytes: [UInt8], _ name: String) {
    guard let document = document(bytes) else { return }
    let result = WorkflowLoader(catalog: TestCatalog.standard).load(bytes: bytes, file: name)
    // A regular expression cannot limit the length of a duration.
    let sayable = result.diagnostics.filter {
      Self.sayable.contains($0.code) && !$0.message.contains(" must be at most ")
    }
    let problem = validator.problem(with: document)
    if !sayable.isEmpty {
      #expect(problem != nil, "the loader rejects \(name), the schema does not:\n\(result.rendered())")
    }
    if let problem {
      #expect(result.diagnostics.containsError, "the schema rejects \(name), the loader does not: \(problem)")
    }
  }

  @Test(arguments: BrokenWorkflow.all)
  func `the schema and the loader agree on broken workflows`(workflow: BrokenWorkflow) throws {
    expectAgreement(try workflow.bytes, workflow.name)
  }

  /// `TidyTests` checks with the real actions that all of these workflows load without diagnostics.
  @Test func `the published schema accepts all workflows in the workflows folder, but not with unknown keys`() throws {
    let folder = BrokenWorkflow.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("workflows")
    let text = try String(contentsOf: folder.appendingPathComponent("workflow.schema.json"), encoding: .utf8)
    let kept = SchemaValidator(root: try JSONText.parse(text))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".yaml") && !$0.hasSuffix(".sync.yaml")
    }
    #expect(names.count >= 4)
    for name in names {
      let workflow = try #require(document(Array(try Data(contentsOf: folder.appendingPathComponent(name)))), "\(name)")
      #expect(kept.problem(with: workflow) == nil, "\(name)")
      var changed = try #require(workflow.objectValue)
      changed["stepps"] = [:]
      #expect(kept.problem(with: .object(changed)) != nil, "\(name)")
    }
  }

  @Test func `the schema and the loader agree on a workflow with most keys of the format`() {
    expectAgreement(Array(WorkflowExamples.complete.utf8), "complete")
    #expect(document(Array(WorkflowExamples.complete.utf8)).flatMap(validator.problem) == nil)
  }

  /// Each key is tested with many values. The schema must agree with the loader's diagnostics about the key.
  @Test func `the schema and the loader agree on every key with every kind of value`() {
    let values = [
      "", "null", "~", "true", "false", "yes", "No", "on", "0", "1", "-1", "2.0", "2.5", "101", "1000001", ".inf", "''",
      "text", "a-b", "a b", "A", "main", "utility", "background", "idle", "none", "full", "0s", "5s", "1.5s", "1m30s",
      "1h2m3s4.5ms", "5 s", "5sx", "1s2", "-5s", "1s..2s", "2s..", "1s1s", "${{ inputs.x }}", "'${{ inputs.x }}s'",
      "launch.reason == 'user'", "[]", "[a]", "[a, a]", "[1]", "[[a]]", "[true, x]", "{}", "{ a: b }", "{ a: 1 }",
      "{ a: [] }", "{ a: { b: c } }", "{ min: 1s }", "{ max: 2 }", "{ min: 1s, max: '${{ inputs.x }}' }",
      "{ attempts: 2 }", "{ attempts: 2, delay: 1s, backoff: 1.5, jitter: full }", "{ attempts: 0 }", "{ delay: 1s }",
      "{ qos: utility }", "{ a: { qos: utility, width: 2 } }", "{ a: { type: string } }", "{ a: { type: array } }",
      "{ a: { type: array, items: { type: integer }, default: [1] } }", "{ a: { type: string, items: {} } }",
      "{ a: { type: object, properties: { b: { type: boolean } } } }", "{ a: { type: path, base: data } }",
      "{ a: { type: integer, enum: [1, 2], default: 1, required: false, description: x } }",
      "{ a: { type: string, enum: [] } }", "{ a: { uses: flow.noop } }", "{ retry: { attempts: 2 }, queue: main }",
      "{ values: { a: 1 } }", "{ values: '${{ inputs.x }}' }", "{ for: 1s }", "{ for: 1 }", "{ event: go }",
    ]
    var number = 0
    for value in values {
      for key in WorkflowKey.allCases.map(\.rawValue) {
        var text = "\(key): \(value)\n"
        if key != "name" { text += "name: test\n" }
        if key != "inputs" { text += "inputs: { x: { type: any, default: 1s } }\n" }
        if key != "steps" { text += "steps: { a: { uses: flow.noop } }\n" }
        expectAgreement(Array(text.utf8), text)
      }
      for key in StepKey.allCases.map(\.rawValue) {
        for action in ["flow.noop", "flow.set", "flow.sleep", "flow.post", "storage.open"] {
          number += 1
          guard TestExtent.tries(number, ofParts: 16) else { continue }
          var text = "name: test\ninputs: { x: { type: any, default: 1s } }\nsteps:\n  a:\n    \(key): \(value)\n"
          if key != "uses" { text += "    uses: \(action)\n" }
          expectAgreement(Array(text.utf8), text)
        }
      }
    }
  }

  // MARK: plugin.yaml

  private func expectPluginAgreement(_ text: String) {
    guard let document = document(Array(text.utf8)) else { return }
    let result = PluginManifestLoader().load(bytes: Array(text.utf8), file: "plugin.yaml")
    let problem = SchemaValidator(root: PluginSchema().json()).problem(with: document)
    // A schema cannot express that an action's name begins with its plugin's name, or that a default matches its type.
    let sayable = result.diagnostics.filter { !$0.message.contains("plugin's name") && $0.code != .invalidDefault }
    #expect(
      (problem == nil) == sayable.isEmpty,
      "the schema says \(problem ?? "nothing") of:\n\(text)\nand the loader:\n\(result.rendered())")
  }

  @Test func `the schema and the loader of plugin.yaml agree on every key with every kind of value`() {
    let values = [
      "", "null", "true", "no", "0", "1", "2", "1.5", "''", "text", "a-b", "a b", "A", "main.swift", "/main.swift",
      "../main.swift", "sub/main.swift", "a/../main.swift", "main.py", "[]", "[a]", "[a, a]", "[1]", "[[a]]", "[a b]",
      "{}", "{ a: b }", "{ a: {} }", "{ a: { summary: x } }", "{ 'a b': { summary: x } }", "{ x.a: { summary: x } }",
      "{ x.a: { summary: x, more: 1 } }", "{ x.a: 5 }", "{ a: { type: string } }", "{ a: { type: array } }",
      "{ a: { type: array, items: { type: integer } } }", "{ a: { type: string, items: { type: string } } }",
      "{ a: { type: path, base: file } }", "{ a: { type: strng } }", "{ a: { type: integer, default: 1 } }",
      "{ a: { summary: x, retryable: true } }", "{ a: { summary: x, retryable: 1 } }", "{ a: { retryable: true } }",
    ]
    for value in values {
      for key in ManifestKey.allCases {
        var text = "\(key.rawValue): \(value)\n"
        for (other, line) in [
          (ManifestKey.name, "name: x"), (.version, "version: 1.0.0"), (.protocol, "protocol: 1"),
          (.actions, "actions: { x.run: { summary: Runs } }"),
        ] where other != key { text += line + "\n" }
        expectPluginAgreement(text)
        if key != .command, key != .source { expectPluginAgreement(text + "command: [cat]\n") }
        if key == .source { expectPluginAgreement(text + "command: [cat]\n") }
      }
      for key in ManifestActionKey.allCases {
        let summary = key == .summary ? "" : "summary: Runs, "
        expectPluginAgreement(
          "name: x\nversion: 1.0.0\nprotocol: 1\ncommand: [cat]\nactions: { x.run: { \(summary)\(key.rawValue): \(value) } }\n"
        )
      }
    }
  }

  @Test func `the schema and the loader of plugin.yaml agree on manifests with an executor, actions or both`() {
    let parts = [
      "command: [cat]\n", "source: main.swift\n", "actions: { x.run: { summary: Runs } }\n",
      "executor: { places: [echo, a], command: [\"{worker-line}\"] }\n",
    ]
    for choice in 0..<1 << parts.count {
      let chosen = parts.indices.filter { choice >> $0 & 1 == 1 }.map { parts[$0] }
      expectPluginAgreement("name: x\nversion: 1.0.0\nprotocol: 1\n" + chosen.joined())
    }
  }

  @Test func `the schema and the loader of plugin.yaml accept all manifests in the repository`() throws {
    let root = BrokenWorkflow.folder.deletingLastPathComponent().deletingLastPathComponent()
    let validator = SchemaValidator(root: PluginSchema().json())
    var names: [String] = []
    for folder in ["plugins", "Tests/Goldens"] {
      let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      while let file = files?.nextObject() as? String {
        guard file.split(separator: "/").last == "plugin.yaml" else { continue }
        names.append(file)
        let bytes = Array(try Data(contentsOf: root.appendingPathComponent(folder + "/" + file)))
        let result = PluginManifestLoader().load(bytes: bytes, file: file)
        #expect(result.manifest != nil, "\(result.rendered())")
        let manifest = try #require(document(bytes), "\(file)")
        #expect(validator.problem(with: manifest) == nil, "\(file)")
      }
    }
    #expect(Set(names).isSuperset(of: ["ssh/plugin.yaml", "dask/plugin.yaml"]), "\(names)")
  }

  @Test func `the schema contains and describes every key of a step`() throws {
    let schema = WorkflowSchema(catalog: TestCatalog.standard).json()
    let step = try #require(schema.objectValue?["definitions"]?.objectValue?["step"]?.objectValue?["properties"])
    #expect(step.objectValue?.keys == StepKey.allCases.map(\.rawValue))
    for (key, property) in step.objectValue ?? [:] {
      #expect(property.objectValue?["description"]?.stringValue?.isEmpty == false, "\(key)")
    }
  }
}
