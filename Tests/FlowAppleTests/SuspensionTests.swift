import BasicsPlugin
import FlowApple
import FlowHistory
import FlowKit
import FlowPluginKit
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct `A suspended launch` {
  /// A handle that records when it is suspended and reactivated.
  private final class Files: SuspendableHandle {
    let calls = Mutex<[String]>([])
    let isTaken: Bool

    init(isTaken: Bool = false) { self.isTaken = isTaken }

    func suspend() async {
      await Task.yield()
      calls.withLock { $0.append("suspend") }
    }

    func reactivate() async throws {
      calls.withLock { $0.append("reactivate") }
      if isTaken { throw ActionError("in-use", "another process has the file") }
    }
  }

  private struct FilesPlugin: Plugin {
    static let name = "files"
    var files: [Files]
    var actions: [any ActionType.Type] { [] }
    var handles: [PluginHandle] { files.map { PluginHandle("files", $0) } }
  }

  private func model(_ files: Files...) -> LaunchModel<TestLaunch> {
    let engine = Engine {
      BasicsPlugin()
      FilesPlugin(files: files)
    }
    return LaunchModel(engine, TestLaunch(), .init(), options: runOptions(clock: VirtualClock()))
  }

  @Test func `suspending and reactivating a launch twice releases and reacquires its files in that order`() async {
    let files = Files()
    let model = model(files)
    model.suspend()
    model.reactivate()
    model.suspend()
    await model.reactivate().value
    #expect(files.calls.withLock { $0 } == ["suspend", "reactivate", "suspend", "reactivate"])
    #expect(model.problem == nil)
  }

  @Test func `after a suspension, a file that another process has acquired is reported, and the others are acquired`()
    async
  {
    let (taken, free) = (Files(isTaken: true), Files())
    let model = model(taken, free)
    model.suspend()
    await model.reactivate().value
    #expect(model.problem?.contains("another process has the file") == true)
    #expect(free.calls.withLock { $0 } == ["suspend", "reactivate"])
  }

  @Test func `a suspended launch releases its files only when all background work has ended`() async {
    let files = Files()
    let model = model(files)
    let launch = model.beginBackgroundWork()
    let refresh = model.beginBackgroundWork()
    await model.suspend().value
    await launch.end().value
    await launch.end().value
    #expect(files.calls.withLock { $0 } == [])
    await refresh.end().value
    #expect(files.calls.withLock { $0 } == ["suspend"])
  }

  @Test func `a suspended launch acquires its files for background work`() async {
    let files = Files()
    let model = model(files)
    await model.suspend().value
    let push = model.beginBackgroundWork()
    await push.end().value
    #expect(files.calls.withLock { $0 } == ["suspend", "reactivate", "suspend"])
  }

  @Test func `a launch keeps its files at the end of background work if the app is in the foreground again`() async {
    let files = Files()
    let model = model(files)
    let launch = model.beginBackgroundWork()
    await model.suspend().value
    await model.reactivate().value
    await launch.end().value
    #expect(files.calls.withLock { $0 } == [])
    await model.suspend().value
    #expect(files.calls.withLock { $0 } == ["suspend"])
  }

  @Test func `waiting for a launch ends when its run has ended or could not start`() async {
    let model = model()
    let ended = Task { await model.ended() }
    model.start()
    model.finishPosting()
    await ended.value
    #expect(model.report != nil)
    let failing = LaunchModel(Engine {}, TestLaunch(), .init(), options: runOptions())
    failing.start()
    await failing.ended()
    #expect(failing.phase == .failed)
  }

  @Test func `a suspended launch releases the run history, and records the rest of its run after reactivation`()
    async throws
  {
    var options = runOptions()
    let history = AppHistory(options.dataFolder + "/runs.sqlite")
    options.history = history.recording(TestLaunch())
    let model = LaunchModel(Engine { BasicsPlugin() }, TestLaunch(), .init(), options: options)
    model.start()
    while try history.runs().isEmpty { await Task.yield() }
    #expect(try history.runs().map(\.state) == [.running])
    await model.suspend().value
    // As after the end of a process, no process owns the run.
    #expect(try history.runs().map(\.state) == [.interrupted])
    let work = model.beginBackgroundWork()
    await model.reactivate().value
    await work.end().value
    #expect(try history.runs().map(\.state) == [.running])
    await model.suspend().value
    model.cancel()
    await model.ended()
    #expect(try history.runs().map(\.state) == [.interrupted])
    await model.reactivate().value
    #expect(try history.runs().map(\.state) == [.cancelled])
  }
}
