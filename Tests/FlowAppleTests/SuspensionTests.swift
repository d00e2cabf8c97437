import BasicsPlugin
import FlowApple
import FlowKit
import FlowPluginKit
import Synchronization
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct `A launch in the background` {
  /// A handle that records when it is released and taken again.
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

  @Test func `releases files and takes them again in the order of the calls`() async {
    let files = Files()
    let model = model(files)
    model.suspend()
    model.reactivate()
    model.suspend()
    await model.reactivate().value
    #expect(files.calls.withLock { $0 } == ["suspend", "reactivate", "suspend", "reactivate"])
    #expect(model.problem == nil)
  }

  @Test func `says which file another process has taken, and takes the others`() async {
    let (taken, free) = (Files(isTaken: true), Files())
    let model = model(taken, free)
    model.suspend()
    await model.reactivate().value
    #expect(model.problem?.contains("another process has the file") == true)
    #expect(free.calls.withLock { $0 } == ["suspend", "reactivate"])
  }
}
