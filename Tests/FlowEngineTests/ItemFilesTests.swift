import BasicsPlugin
import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

@testable import FlowEngine

/// Steps whose items declare the files that they read and produce.
@Suite(.timeLimit(.minutes(10))) struct `Items with files` {
  /// Returns a workflow with two steps. The first produces a file in `b` for each file in `a`, and the second a file in
  /// `c` for each file in `b`. `tags` are part of the steps' definitions.
  private static func workflow(in folder: String, tags: [String]) -> Workflow {
    func each(_ id: String, from source: String, to target: String, tag: String, needs: [StepIndex]) -> Step {
      Step(
        id, "copy.file",
        with: [
          "from": .string("\(folder)/${{ item.path }}"), "to": .string("\(folder)/\(target)/${{ item.stem }}.txt"),
          "tag": .string(tag),
        ], needs: needs
      ) {
        $0.fanOut = FanOut(.files(["\(source)/*.txt"]))
        $0.fanOut?.parallel = 1
        $0.inputsFrom = ["${{ item.path }}"]
        $0.produces = [FileRule("\(target)/${{ item.stem }}.txt")]
      }
    }
    return Workflow(
      name: "files",
      steps: [
        each("first", from: "a", to: "b", tag: tags[0], needs: []),
        each("second", from: "b", to: "c", tag: tags[1], needs: [0]),
      ])
  }

  /// A simple model of the records of the items' last successes.
  private struct Model {
    struct Record: Equatable { var input, tag, output: String? }
    var files: [String: String] = [:]
    var records: [[String: Record]] = [[:], [:]]

    /// Predicts a run of a step. Returns the items that run, and whether one of them fails.
    mutating func run(_ layer: Int, tag: String) -> (ran: [String], failed: Bool) {
      let (source, target) = [("a/", "b/"), ("b/", "c/")][layer]
      let items = files.keys.filter { $0.hasPrefix(source) }.sorted()
      var open: [String] = []
      for item in items {
        let output = files[target + item.dropFirst(2)]
        let now = Record(input: files[item], tag: tag, output: output)
        if output == nil || records[layer][item] != now { open.append(item) }
      }
      var ran: [String] = []
      for item in open {
        ran.append(item)
        if files[item]!.hasPrefix("bad") { return (ran, true) }
        let output = tag + files[item]!
        files[target + item.dropFirst(2)] = output
        records[layer][item] = Record(input: files[item], tag: tag, output: output)
      }
      return (ran, false)
    }

    /// Returns the files of items that are no longer in the list.
    func leftovers(_ layer: Int) -> [String] {
      let (source, target) = [("a/", "b/"), ("b/", "c/")][layer]
      return records[layer].keys.filter { files[$0] == nil && $0.hasPrefix(source) }.map { target + $0.dropFirst(2) }
        .filter { files[$0] != nil }
    }

    /// Removes leftovers of removed items, except files that have changed since then. Removes none if the list is
    /// empty.
    mutating func clean() {
      let lists = ["a/", "b/"].map { source in files.keys.contains { $0.hasPrefix(source) } }
      let gone = (0..<2).map { lists[$0] ? leftovers($0) : [] }
      for (layer, source) in ["a/", "b/"].enumerated() {
        for file in gone[layer] where records[layer][source + file.dropFirst(2)]?.output == files[file] {
          files[file] = nil
        }
      }
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `items with files run again only if their files, their step or their products have changed`(seed: UInt64)
    async throws
  {
    let seed = SeededGenerator.environmentSeed ?? seed
    var random = SeededGenerator(seed: seed)
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in ["a", "b", "c", "data"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    var model = Model()
    var tags = ["x", "y"]
    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: "\(folder)/\(name)", atomically: random.chance(50), encoding: .utf8)
      model.files[name] = text
    }
    for round in 0..<40 {
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let name = "\(random.pick(["a", "a", "b", "c"]))/\(random.pick(["m", "n o", "p*", "q.r", "ü"])).txt"
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: try write(name, random.pick(["1", "2", "3"]))
        case 3: if let text = model.files[name] { try write(name, text) }
        case 4, 5:
          try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
          model.files[name] = nil
        case 6: tags[Int.random(in: 0..<2, using: &random)] = random.pick(["x", "y", "z"])
        default: try write("a/n o.txt", random.pick(["bad", "4"]))
        }
      }
      let (first, failed) = model.run(0, tag: tags[0])
      let second = failed ? nil : model.run(1, tag: tags[1]).ran
      var options = RunOptions(dataFolder: "\(folder)/data", workflowFolder: folder)
      options.removesLeftovers = random.chance(40)
      var workflow = Self.workflow(in: folder, tags: tags)
      workflow.outputs = ["first": "${{ steps.first.products }}", "second": "${{ steps.second.products }}"]
      let run = try Engine(plugins: [BasicsPlugin(), CopyingPlugin()]).start(WorkflowGraph(workflow), options: options)
      let report = await run.report
      if !failed {
        for (name, source, target) in [("first", "a/", "b/"), ("second", "b/", "c/")] {
          let made = model.files.keys.filter { $0.hasPrefix(source) }.sorted().map { target + $0.dropFirst(2) }
          #expect(report.outputs[name] == .array(made.map { .string($0) }), "seed \(seed), round \(round)")
        }
      }
      func ran(_ step: Int, _ source: String) -> [String]? {
        guard let items = report.steps[step].items else { return nil }
        let listed = model.files.keys.filter { $0.hasPrefix(source) }.sorted()
        guard listed.count == items.count else { return ["\(items.count) items, not \(listed)"] }
        return zip(listed, items).filter { $1.attempts > 0 }.map(\.0)
      }
      #expect(ran(0, "a/") == first, "seed \(seed), round \(round): \(report.steps[0])")
      #expect(failed ? report.steps[1].items?.isEmpty != false : ran(1, "b/") == second, "seed \(seed), round \(round)")
      if options.removesLeftovers, !failed { model.clean() }
      for name in ["a", "b", "c"] {
        let found = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)").map { "\(name)/\($0)" }
        #expect(
          Set(found) == Set(model.files.keys.filter { $0.hasPrefix(name) }), "seed \(seed), round \(round)")
      }
      for (name, text) in model.files {
        #expect(
          try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) == text, "seed \(seed), round \(round)")
      }
      if round % 10 == 9 { try damage(folder, &model, &random) }
      // From here on, the items of the first step are checked together.
      if !failed, round % 5 == 2, model.leftovers(0).isEmpty, model.files.keys.contains(where: { $0.hasPrefix("a/") }) {
        try await settle(Self.workflow(in: folder, tags: tags), in: folder)
      }
    }
  }

  /// Cuts the record of the second step within an entry, or empties it, as a full disk or a power failure would do.
  /// Afterwards, nothing is known about the step's items.
  private func damage(_ folder: String, _ model: inout Model, _ random: inout SeededGenerator) throws {
    let path = "\(folder)/data/up-to-date/second.items"
    guard let bytes = FileManager.default.contents(atPath: path) else { return }
    let isCut = random.chance(50)
    try bytes.prefix(isCut ? min(40, bytes.count) : 0).write(to: URL(fileURLWithPath: path))
    model.records[1] = [:]
  }

  /// Runs an unchanged workflow until all items of its first step are recorded as unchanged, and then twice more. They
  /// are recorded once their files have not changed for 50 ms.
  private func settle(_ workflow: Workflow, in folder: String, inputs: ValueObject = [:]) async throws {
    let path = "\(folder)/data/up-to-date/first.unchanged"
    try? FileManager.default.removeItem(atPath: path)
    var runsLeft = 2
    for _ in 0..<1000 where runsLeft > 0 {
      if FileManager.default.fileExists(atPath: path) { runsLeft -= 1 }
      let report = try await report(workflow, in: folder, inputs: inputs)
      #expect(report["first"].items?.allSatisfy { $0.attempts == 0 } == true)
    }
    #expect(FanOutStamp(of: StepID(unchecked: "first"), in: "\(folder)/data")?.isAsItWas(in: folder) == true)
  }

  private func report(_ workflow: Workflow, in folder: String, inputs: ValueObject = [:]) async throws -> RunReport {
    var options = RunOptions(dataFolder: "\(folder)/data", workflowFolder: folder)
    options.inputs = inputs
    return await
      (try Engine(plugins: [BasicsPlugin(), CopyingPlugin()]).start(WorkflowGraph(workflow), options: options)).report
  }

  /// Returns the bytes of a valid stamp for a step with two items.
  private func stampBytes(_ folder: String) async throws -> [UInt8] {
    for name in ["a", "b", "c", "data"] {
      try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    for name in ["m", "n"] { try name.write(toFile: "\(folder)/a/\(name).txt", atomically: false, encoding: .utf8) }
    _ = try await report(Self.workflow(in: folder, tags: ["x", "y"]), in: folder)
    try await settle(Self.workflow(in: folder, tags: ["x", "y"]), in: folder)
    return Array(try #require(FileManager.default.contents(atPath: "\(folder)/data/up-to-date/first.unchanged")))
  }

  @Test func `if any byte of the record of unchanged items is damaged, each item is checked individually`() async throws
  {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let bytes = try await stampBytes(folder)
    let path = "\(folder)/data/up-to-date/first.unchanged"
    func holds(_ bytes: [UInt8]) throws -> Bool {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return FanOutStamp(of: StepID(unchecked: "first"), in: "\(folder)/data")?.isAsItWas(in: folder) == true
    }
    #expect(try holds(bytes))
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 1 << UInt8(index % 8)
      #expect(try !holds(damaged), "byte \(index)")
      #expect(try !holds(Array(bytes[..<index])), "cut at byte \(index)")
    }
  }

  @Test func `unchanged items return their recorded outputs`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try await stampBytes(folder)
    // These outputs are only in this record, so they show that it was used.
    let stamp = try #require(FanOutStamp(of: StepID(unchecked: "first"), in: "\(folder)/data"))
    FanOutStamp.write(
      stamp.key, outputs: [["mark": "a"], ["mark": "b"]],
      files: Array(zip(stamp.files, stamp.states.compactMap(\.self))),
      of: StepID(unchecked: "first"), in: "\(folder)/data")
    var workflow = Self.workflow(in: folder, tags: ["x", "y"])
    workflow.outputs = ["marks": "${{ steps.first.outputs.mark }}"]
    #expect(try await report(workflow, in: folder).outputs["marks"] == ["a", "b"])
  }

  @Test func `after another process has recorded an item, each item is checked individually`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try await stampBytes(folder)
    let other = ItemStamps(of: StepID(unchecked: "first"), in: "\(folder)/data", reads: true)
    let stamp = StepStamp(definition: "d", values: "v", inputs: [], products: [], outputs: [:])
    #expect(other.write([(1, stamp)]) == nil)
    #expect(FanOutStamp(of: StepID(unchecked: "first"), in: "\(folder)/data")?.isAsItWas(in: folder) == false)
  }

  /// The states of unchanged files are cached for a short time, unless a step may have changed the files.
  @Test func `a step detects a file that an earlier step has changed, even if its state was cached`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try await stampBytes(folder)
    var workflow = Self.workflow(in: folder, tags: ["x", "y"])
    workflow.steps[1] = Step(
      "change", "copy.if-there",
      with: ["from": .string("\(folder)/new.txt"), "to": .string("\(folder)/b/m.txt"), "tag": ""], needs: [0])
    workflow.steps.append(
      Step(
        "join", "copy.file",
        with: ["from": .string("\(folder)/b/m.txt"), "to": .string("\(folder)/c/all.txt"), "tag": ""], needs: [1]
      ) {
        $0.inputsFrom = ["b/*.txt"]
        $0.produces = ["c/all.txt"]
      })
    try await settle(workflow, in: folder)
    #expect(try await report(workflow, in: folder)["join"].outcome == .skipped)
    try "new".write(toFile: "\(folder)/new.txt", atomically: false, encoding: .utf8)
    #expect(try await report(workflow, in: folder)["join"].outcome == .success)
    #expect(try String(contentsOfFile: "\(folder)/c/all.txt", encoding: .utf8) == "new")
  }

  @Test func `items share cached file states for 50 ms or until a step begins`() {
    let states = [FileState(number: 1, bytes: 2, modifiedNanoseconds: 3, changedNanoseconds: 4), nil]
    let recent = RecentStates()
    #expect(recent.states(of: [], in: "/f", at: 0) == nil)
    recent.keep(states, of: ["a", "b"], in: "/f", at: 1_000_000)
    #expect(recent.states(of: ["b", "a", "b"], in: "/f", at: 50_999_999) == [nil, states[0], nil])
    #expect(recent.states(of: ["a"], in: "/f", at: 51_000_000) == nil)
    #expect(recent.states(of: ["a"], in: "/g", at: 1_000_000) == nil)
    #expect(recent.states(of: ["a", "c"], in: "/f", at: 1_000_000) == nil)
    recent.end()
    #expect(recent.states(of: ["a"], in: "/f", at: 1_000_000) == nil)
    recent.keep(states, of: ["a", "b"], in: "/f", at: 1_000_000)
    #expect(recent.states(of: ["a"], in: "/f", at: 1_000_000) == nil)
  }

  /// Each of these changes affects the result of an item, but no file.
  @Test func `items run again if inputs, variables or definitions change, even if the files do not`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    _ = try await stampBytes(folder)
    var workflow = Self.workflow(in: folder, tags: ["${{ inputs.tag }}${{ env.tag }}", "y"])
    workflow.inputs = [FieldDeclaration("tag", .string)]
    func ran(_ inputs: ValueObject) async throws -> Bool {
      let items = try #require(try await report(workflow, in: folder, inputs: inputs)["first"].items)
      #expect(items.count == 2 && Set(items.map(\.attempts)).count == 1)
      return items.allSatisfy { $0.attempts == 1 }
    }
    func expectNew(_ inputs: ValueObject) async throws {
      #expect(try await ran(inputs))
      try await settle(workflow, in: folder, inputs: inputs)
    }
    try await expectNew(["tag": "1"])
    try await expectNew(["tag": "2"])
    workflow.environment = ["tag": "3"]
    try await expectNew(["tag": "2"])
    workflow.environment = ["tag": "4"]
    try await expectNew(["tag": "2"])
    workflow.environment = ["tag": "3"]
    try await expectNew(["tag": "2"])
  }

  @Test func `an item that is a file has the same hash whether it is stored as a path or as a value`() {
    for path in ["a", "a.txt", ".a", "a.", "/a", "/a/b.tar.gz", "x y/ü.txt", "../..a/b", "a/.b/c.d/e"] {
      #expect(FanOutValues(files: [path]).hashes == FanOutValues([FileItem.value(of: path)]).hashes, "\(path)")
      #expect(FanOutValues(files: [path])[0] == FileItem.value(of: path))
    }
  }

  private func report(_ step: Step, files: [String]) async throws -> RunReport {
    let folder = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in files {
      let place = URL(fileURLWithPath: "\(folder)/\(name)")
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(name.utf8).write(to: place)
    }
    let options = RunOptions(dataFolder: "\(folder)/data", workflowFolder: folder)
    let run = try Engine(plugins: [BasicsPlugin(), CopyingPlugin()]).start(
      WorkflowGraph(Workflow(name: "w", steps: [Step("list"), step])), options: options)
    return await run.report
  }

  @Test func `a step fails before any item runs if two items produce the same file`() async throws {
    let step = Step("each", "flow.noop", needs: [0]) {
      $0.fanOut = FanOut(.files(["**/*.txt"]))
      $0.produces = ["out/../made/${{ item.stem }}"]
    }
    let report = try await report(step, files: ["a/x.txt", "b/x.txt", "b/y.txt"])
    #expect(report["each"].failure?.code == "same-product")
    #expect(
      report["each"].failure?.message.contains("item [0] 'a/x.txt' and item [1] 'b/x.txt' both produce 'made/x'")
        == true)
    #expect(report["each"].items?.isEmpty != false)
  }

  @Test func `a run does not start if two items are known to produce the same file`() throws {
    let step = Step("each", "flow.noop") {
      $0.fanOut = FanOut(.items(["a", "b", "A"]))
      $0.produces = ["out/${{ item == 'b' && 'b' || 'a' }}"]
    }
    #expect {
      _ = try EngineFixture([step]).start()
    } throws: {
      "\($0)".contains("both produce 'out/a'")
    }
  }

  @Test(arguments: [("a", "is a folder"), ("a/none.txt", "there is no file"), ("", "empty")])
  func `a step fails with an explanation if the path for its items is not a file`(pattern: String, message: String)
    async throws
  {
    let step = Step("each", "flow.noop") { $0.fanOut = FanOut(.files([pattern])) }
    let report = try await report(step, files: ["a/x.txt"])
    #expect(report["each"].failure?.code == "not-a-file")
    #expect(report["each"].failure?.message.contains(message) == true, "\(report["each"])")
  }

  @Test func `a step succeeds without items if its pattern has a wildcard and matches no files`() async throws {
    let step = Step("each", "flow.set", with: ["values": ["x": "${{ item.path }}"]]) {
      $0.fanOut = FanOut(.files(["*.none"]))
    }
    let report = try await report(step, files: ["a/x.txt"])
    #expect(report["each"].outcome == .success && report["each"].items?.isEmpty == true)
  }
}

/// A plugin whose action copies a file.
private struct CopyingPlugin: Plugin {
  static let name = "copy"
  var actions: [any ActionType.Type] { [Copy.self, CopyIfThere.self] }

  struct Paths: ActionInput {
    @Field("A path") var from: String
    @Field("A path") var to: String
    @Field("The text before it") var tag: String
  }

  struct CopyIfThere: Action {
    static let name = "copy.if-there"
    static let summary = "Copies a file if it is there"
    typealias Input = Paths
    func run(_ input: Paths, in context: ActionContext) throws -> NoOutput {
      if FileManager.default.fileExists(atPath: input.from) { return try Copy().run(input, in: context) }
      return NoOutput()
    }
  }

  struct Copy: Action {
    static let name = "copy.file"
    static let summary = "Copies a file behind a tag; fails where it is bad"
    typealias Input = Paths
    func run(_ input: Paths, in context: ActionContext) throws -> NoOutput {
      let text = try String(contentsOfFile: input.from, encoding: .utf8)
      if text.hasPrefix("bad") { throw ActionError("bad", "'\(input.from)' is bad", isRetryable: false) }
      try (input.tag + text).write(toFile: input.to, atomically: false, encoding: .utf8)
      return NoOutput()
    }
  }
}
