import BasicsPlugin
import FlowHistory
import FlowKit
import FlowStoreSQLite
import FlowSyntax
import Foundation
import Testing

/// A workflow whose second step waits for an event, as the build plugin would generate it.
private struct Visit: PackagedWorkflow {
  struct Inputs: WorkflowInputs {
    var values: ValueObject { [:] }
  }

  struct Outputs: WorkflowOutputs {
    init(values: ValueObject) {}
  }

  static let engine = Engine { BasicsPlugin() }

  static let compiled: [UInt8] = {
    let text = """
      name: visit
      events: [bell.rung, door.opened]
      steps:
        one: { uses: flow.noop }
        two: { uses: flow.noop, after: bell.rung }
        three: { uses: flow.noop, after: door.opened }
      """
    return WorkflowLoader(catalog: engine.registry).load(bytes: Array(text.utf8), file: "visit.yaml").compiled?.bytes
      ?? []
  }()
}

@Suite(.timeLimit(.minutes(10))) struct `The history of a suspended app` {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-suspended-\(UUID().uuidString)"
  private let history: AppHistory
  private var path: String { folder + "/runs.sqlite" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    history = AppHistory(folder + "/runs.sqlite")
  }

  /// The value of `F_OFD_GETLK`, which is not visible in Swift on Linux.
  #if os(Linux)
    private static let queryOfOpenFile: CInt = 36
  #else
    private static let queryOfOpenFile: CInt = 92
  #endif

  private func start(isDurable: Bool = false) throws -> TypedRun<Visit> {
    var options = RunOptions(dataFolder: folder, workflowFolder: folder)
    options.acceptsEvents = true
    options.history = history.recording(Visit(), isDurable: isDurable)
    return try Visit.engine.start(Visit(), .init(), options: options)
  }

  private func startRecorded(isDurable: Bool = false) async throws -> TypedRun<Visit> {
    let run = try start(isDurable: isDurable)
    while try history.runs().isEmpty { await Task.yield() }
    return run
  }

  private func states() throws -> [StoredRun.State] { try history.runs().map(\.state) }

  private func end(_ run: TypedRun<Visit>) async -> RunReport {
    run.run.post("bell.rung")
    run.run.post("door.opened")
    run.finishPosting()
    return await run.report
  }

  /// True if the file `.lock` of the store is locked.
  private func isLocked() throws -> Bool {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + ".lock"))
    defer { try? file.close() }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    #expect(fcntl(file.fileDescriptor, Self.queryOfOpenFile, &lock) == 0)
    return lock.l_type != Int16(F_UNLCK)
  }

  @Test(arguments: [false, true]) func `a suspended run history holds no lock and records runs later`(isDurable: Bool)
    async throws
  {
    let run = try await startRecorded(isDurable: isDurable)
    #expect(try isLocked())
    for _ in 0..<3 {
      await history.suspend()
      #expect(try !isLocked())
      #expect(try states() == [.interrupted])
      try await history.reactivate()
      #expect(try isLocked())
      #expect(try states() == [.running])
    }
    await history.suspend()
    run.run.post("bell.rung")
    try await history.reactivate()
    let report = await end(run)
    #expect(report.conclusion == .success)
    #expect(report.warnings == [])
    #expect(try states() == [.success])
    let steps = report.steps.map(\.conclusion)
    #expect(steps == [.success, .success, .success])
  }

  @Test func `a durable run does not start a step in a suspended app until the app is active again`() async throws {
    let run = try await startRecorded(isDurable: true)
    await history.suspend()
    run.run.post("bell.rung")
    run.run.post("door.opened")
    run.finishPosting()
    for _ in 0..<1000 { await Task.yield() }
    #expect(run.run.progress.finished < 3)
    try await history.reactivate()
    #expect(await run.report.conclusion == .success)
    #expect(try states() == [.success])
  }

  @Test func `a run that ends while the app is suspended is recorded later`() async throws {
    let run = try await startRecorded()
    await history.suspend()
    let report = await end(run)
    #expect(report.conclusion == .success)
    #expect(report.warnings == [])
    #expect(try !isLocked())
    #expect(try states() == [.interrupted])
    try await history.reactivate()
    #expect(try states() == [.success])
    #expect(try history.runs().first?.duration != nil)
    #expect(try !isLocked())
  }

  @Test func `a run that starts while the app is suspended is recorded later`() async throws {
    await history.suspend()
    let run = try start()
    #expect(await end(run).conclusion == .success)
    #expect(try history.runs().isEmpty)
    try await history.reactivate()
    #expect(try states() == [.success])
  }

  @Test func `a run that was removed while the app was suspended is reported and not recorded again`() async throws {
    let run = try await startRecorded()
    await history.suspend()
    #expect(try history.remove(history.runs()) == 1)
    await #expect(throws: StoreProblem.unknown(run: run.run.run.id)) { try await history.reactivate() }
    let report = await end(run)
    #expect(report.conclusion == .success)
    #expect(report.warnings.contains { $0.hasPrefix("history: ") }, "\(report.warnings)")
    #expect(try history.runs().isEmpty)
  }

  @Test func `a run that another process resumed while the app was suspended fails in the app`() async throws {
    let run = try await startRecorded()
    await history.suspend()
    let store = try SQLiteRunStore(path, folder: folder)
    let id = run.run.run.id
    let position = RunPosition(epoch: 1, chunkCount: try store.chunks(of: id).count)
    let lease = try store.take(id, at: position, by: RunHolder(process: 1, host: "other"))
    await #expect(throws: StoreProblem.fenced(run: id)) { try await history.reactivate() }
    #expect(await run.report.conclusion == .failure)
    #expect(try store.run(id)?.state == .running)
    try store.finish(lease, state: .success, summary: [])
  }
}
