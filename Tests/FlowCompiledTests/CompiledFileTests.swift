import BasicsPlugin
import FlowBytes
import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSyntax
import Testing

@testable import FlowCompiled

/// Tests that every part of a compiled file is decoded, and that damaged files are rejected.
@Suite(.timeLimit(.minutes(10))) struct `A compiled workflow` {
  static let yaml = """
    name: small
    description: for tests
    inputs:
      who: { type: string, default: you }
      mode: { type: string, enum: [slow, fast], default: fast }
    deadline: { min: 10ms, max: "${{ inputs.mode == 'slow' && '2s' || '1s' }}" }
    events: [map.first-use]
    queues: { disk: { qos: utility, width: 2 } }
    outputs:
      said: ${{ inputs.who }}
      first: ${{ launch.first }}
      both: hello ${{ inputs.who }}
    steps:
      greet: { uses: flow.log, with: { message: "Hello, ${{ inputs.who }}" }, retry: { attempts: 3, delay: 5ms } }
      wait: { uses: flow.noop, needs: greet, after: map.first-use, defer: idle, queue: disk }
      last: { uses: flow.noop, needs: [greet, wait], if: always(), optional: true, defer: true }

    """

  static func loaded(_ yaml: String = yaml) -> LoadResult {
    WorkflowLoader(catalog: ActionRegistry([BasicsPlugin()])).load(bytes: Array(yaml.utf8), file: "small.yaml")
  }

  static func bytes() throws -> [UInt8] {
    let result = loaded()
    return try #require(result.compiled, "\(result.rendered())").bytes
  }

  /// Returns the bytes with a valid checksum, or unchanged if they are too short for one.
  static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let start = CompiledFormat.mark.count + 1
    let content = start + CompiledFormat.checksumBytes
    guard bytes.count >= content else { return bytes }
    let checksum = CompiledFormat.checksum(bytes, from: content)
    var sealed = bytes
    for index in 0..<8 { sealed[start + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt64(index))) }
    return sealed
  }

  @Test func `decoding a compiled workflow restores the original, including output types and step locations`() throws {
    let bytes = try Self.bytes()
    let compiled = try CompiledWorkflow(bytes)
    #expect(compiled.bytes == bytes)
    let workflow = compiled.graph.workflow
    let original = try #require(Self.loaded().graph).workflow
    #expect(workflow.name == "small" && workflow.description == "for tests")
    #expect(workflow.inputs == original.inputs && workflow.gate == original.gate && workflow.queues == original.queues)
    #expect(workflow.events == original.events && workflow.outputs == original.outputs)
    #expect(workflow.steps.map(\.id) == original.steps.map(\.id))
    #expect(workflow.steps.map(\.with) == original.steps.map(\.with))
    #expect(workflow.steps.map(\.needs) == original.steps.map(\.needs))
    #expect(workflow.steps.map(\.options) == original.steps.map(\.options))
    #expect(compiled.outputs.map(\.type) == [.string, .boolean, .string])
    #expect(compiled.locations.map(\.position.line) == [14, 15, 16])
    #expect(compiled.locations.allSatisfy { $0.file == "small.yaml" && $0.position.column == 3 })
  }

  @Test func `a workflow is compiled to the same bytes each time`() throws {
    #expect(try Self.bytes() == Self.bytes())
  }

  @Test func `a compiled workflow keeps every option of a step`() throws {
    var options = StepOptions()
    options.name = "a name"
    options.after = ["one", "two"]
    options.condition = "always()"
    options.enabled = .expression("inputs.a")
    options.deferral = .expression("inputs.b")
    options.blocking = false
    options.isOptional = true
    options.deadline = StepDeadline(min: .milliseconds(1), max: .seconds(3_600))
    options.retry = RetryPolicy(
      attempts: 7, delay: .nanoseconds(1), backoff: 1.5, maxDelay: .seconds(9), jitter: .full,
      attemptDeadline: .seconds(1))
    options.queue = "main"
    options.executor = "workers=2"
    options.estimate = Estimate(low: .zero, high: .seconds(2))
    options.request = MachineResources(cpus: 3, memoryBytes: 1 << 40, gpus: 1)
    options.prewarm = true
    options.isQuiet = true
    options.allowsColor = false
    options.logLimitBytes = 5 << 20
    options.onInterrupt = .fail
    options.isFinal = true
    options.isFinalInside = true
    options.environment = ["A": "1", "B": nil]
    options.inputsFrom = ["*.txt"]
    options.produces = ["out", FileRule("*.o", isRequired: true)]
    var fanOut = FanOut(.axes(["a": [1, 2.5, -3]], exclude: [["a": 1]], include: [["b": true]]))
    fanOut.parallel = 2
    fanOut.isFailFast = false
    fanOut.deadline = .seconds(4)
    options.fanOut = fanOut
    options.isExcused = true
    options.includeRole = .exit
    options.laterRequests = [MachineResources(cpus: 6), MachineResources(cpus: 9)]
    options.retry?.reasons = RetryReasons(
      [.timedOut, .statuses(100...110), .code("command-failed")], areExcepted: true)
    // A new option must be compiled as well and needs a value here.
    let defaults = Mirror(reflecting: StepOptions()).children.map { "\($0.value)" }
    for (index, child) in Mirror(reflecting: options).children.enumerated() {
      #expect("\(child.value)" != defaults[index], "\(child.label ?? "") is at its default")
    }
    let step = Step(id: StepID(unchecked: "a"), uses: "flow.noop", options: options)
    let graph = try WorkflowGraph(Workflow(name: "w", steps: [step]))
    let location = CompiledWorkflow.Location(file: "w.yaml", position: TextLocation(line: 3, column: 5))
    let read = try CompiledWorkflow(CompiledWorkflow(graph, outputs: [], locations: [location]).bytes)
    #expect(read.graph.workflow.steps[0].options == options)
    #expect(read.locations == [location])
  }

  @Test(arguments: ActionEffect.allCases) func `a compiled action keeps its effect`(effect: ActionEffect) throws {
    var declaration = ActionDeclaration(name: "box.keep", summary: "")
    declaration.effect = effect
    #expect(try CompiledActions(CompiledActions([declaration]).bytes).declarations == [declaration])
  }

  @Test func `a compiled workflow is rejected if any byte of it has changed`() throws {
    let bytes = try Self.bytes()
    for index in bytes.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[index] ^= change
        #expect(throws: CompiledWorkflowError.self) { try CompiledWorkflow(damaged) }
      }
    }
    for count in bytes.indices {
      #expect(throws: CompiledWorkflowError.self) { try CompiledWorkflow(Array(bytes[..<count])) }
    }
    #expect(throws: CompiledWorkflowError.self) { try CompiledWorkflow(bytes + [0]) }
  }

  @Test func `a damaged compiled workflow with a valid checksum does not crash the process`() throws {
    let bytes = try Self.bytes()
    var readable = 0
    for index in bytes.indices {
      for change in [1, 2, 3, 8, 0x40, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[index] ^= change
        if (try? CompiledWorkflow(Self.sealed(damaged))) != nil { readable += 1 }
      }
    }
    // Some changes affect only names and texts, so the file is still valid.
    #expect(readable > 0)
    for count in bytes.indices { _ = try? CompiledWorkflow(Self.sealed(Array(bytes[..<count]))) }
  }

  @Test func `a large compiled workflow that is damaged in several places does not crash the process`() throws {
    let steps = (0..<500).map { "  s\($0): { uses: flow.noop\($0 == 0 ? "" : ", needs: s\($0 / 2)") }" }
    let result = Self.loaded("name: large\nsteps:\n" + steps.joined(separator: "\n") + "\n")
    let bytes = try #require(result.compiled, "\(result.rendered())").bytes
    let seed: UInt64 = 7
    var random = SplitMix64(seed: seed)
    var refused = 0
    for _ in 0..<100 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if (try? CompiledWorkflow(Self.sealed(damaged))) == nil { refused += 1 }
    }
    #expect(refused > 0, "seed \(seed)")
  }

  @Test func `a compiled workflow in which two steps have the same id is rejected`() throws {
    let steps = (0..<300).map { "  step-\($0): { uses: flow.noop }" }
    let bytes = try #require(Self.loaded("name: large\nsteps:\n" + steps.joined(separator: "\n") + "\n").compiled).bytes
    _ = try CompiledWorkflow(bytes)
    var damaged = bytes
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("step-299".utf8)) })
    damaged.replaceSubrange(place..<place + 8, with: Array("step-100".utf8))
    let error = #expect(throws: CompiledWorkflowError.self) { try CompiledWorkflow(Self.sealed(damaged)) }
    #expect("\(error!)".contains("step ids that differ"), "\(error!)")
  }

  @Test func `a compiled workflow that declares more elements than it has bytes is rejected`() throws {
    var writer = CompiledWriter()
    writer.write(text: "name")
    let bytes = writer.finished()
    let start = CompiledFormat.mark.count + 1 + CompiledFormat.checksumBytes
    var huge = Array(bytes[..<start])
    LEB128.write(1 << 62) { huge.append($0) }
    #expect(throws: CompiledWorkflowError.damaged(expected: "no more elements than bytes", offset: start)) {
      try CompiledWorkflow(Self.sealed(huge))
    }
  }

  @Test func `a compiled workflow that is too large is rejected before its checksum is verified`() throws {
    let bytes = try Self.bytes()
    let large = bytes + [UInt8](repeating: 0, count: Limits.fileBytes)
    let start = CompiledFormat.mark.count + 1
    #expect(
      throws: CompiledWorkflowError.damaged(expected: "at most \(Limits.fileBytes >> 20) MiB", offset: start)
    ) {
      try CompiledWorkflow(large)
    }
  }

  @Test func `a compiled workflow of an older or newer format is rejected with a remedy`() throws {
    var newer = try Self.bytes()
    newer[CompiledFormat.mark.count] = 9
    let older = CompiledFormat.mark + [0]
    #expect(throws: CompiledWorkflowError.newer(format: 9)) { try CompiledWorkflow(newer) }
    #expect(throws: CompiledWorkflowError.older(format: 0)) { try CompiledWorkflow(older) }
    #expect(throws: CompiledWorkflowError.notCompiled) { try CompiledWorkflow(Array("name: a".utf8)) }
    #expect(
      CompiledWorkflowError.newer(format: 9).description
        == "a newer flowrun compiled this workflow (format 9, expected 1); update flowrun, or compile it again")
    #expect(
      CompiledWorkflowError.older(format: 0).description
        == "an older flowrun compiled this workflow (format 0, expected 1); compile it again")
  }

  @Test func `a compiled workflow loads like YAML, and steps whose action is not installed are reported`() throws {
    let bytes = try Self.bytes()
    let loader = WorkflowLoader(catalog: ActionRegistry([BasicsPlugin()]))
    let result = loader.load(bytes: bytes, file: "small.flow")
    #expect(result.graph?.workflow.steps.count == 3 && result.definition == bytes && result.diagnostics.isEmpty)
    let missing = WorkflowLoader(catalog: ActionRegistry([])).load(bytes: bytes, file: "small.flow")
    #expect(missing.graph == nil)
    #expect(
      missing.diagnostics.map(\.message) == [
        "step 'greet' (small.yaml:14) uses 'flow.log', which is not installed",
        "step 'wait' (small.yaml:15) uses 'flow.noop', which is not installed",
      ])
    let damaged = loader.load(bytes: Array(bytes.dropLast()), file: "small.flow")
    #expect(damaged.graph == nil && damaged.diagnostics.map(\.code) == [.compiledFile])
    #expect(damaged.rendered().hasPrefix("small.flow:1:1: error: the compiled workflow is damaged: expected "))
  }
}
