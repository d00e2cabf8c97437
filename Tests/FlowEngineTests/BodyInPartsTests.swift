import BasicsPlugin
import FlowModel
import FlowPluginKit
import Synchronization
import Testing

@testable import FlowEngine

/// Bodies that release their thread while they wait.
@Suite(.timeLimit(.minutes(10))) struct BodyInPartsTests {
  private func fixture(_ count: Int, _ gathering: Gathering, _ input: ValueObject = [:]) -> EngineFixture {
    var fixture = EngineFixture((0..<count).map { Step("s\($0)", "gathering.join", with: input) })
    fixture.plugins = [BasicsPlugin(), GatheringPlugin(gathering: gathering)]
    return fixture
  }

  @Test func `600 step bodies that wait for each other all start and finish once`() async throws {
    let gathering = Gathering(size: 600)
    let report = try await fixture(600, gathering).run()
    #expect(report.conclusion == .success)
    #expect(report.warnings.isEmpty, "\(report.warnings)")
    #expect(gathering.ends == 600)
  }

  @Test func `step bodies that wait repeatedly finish, and so do other ready steps`() async throws {
    let gathering = Gathering(size: 1)
    var fixture = fixture(8, gathering, ["parts": 200])
    fixture.workflow.steps += (0..<200).map { Step("n\($0)") }
    let report = try await fixture.run()
    #expect(report.conclusion == .success)
    #expect(gathering.ends == 8)
  }

  @Test func `a step fails if its body throws an error after waiting`() async throws {
    let report = try await fixture(1, Gathering(size: 1), ["fails": true]).run()
    #expect(report["s0"].failure?.code == "late")
  }
}

extension HandleKey {
  fileprivate static let gathering: HandleKey = "gathering"
}

/// Resumes the bodies once a given number of them wait.
private final class Gathering: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var ends = 0
  }

  private let size: Int
  private let state = Mutex(State())

  init(size: Int) { self.size = size }

  var ends: Int { state.withLock { $0.ends } }

  func noteEnd() { state.withLock { $0.ends += 1 } }

  func join(_ resume: @escaping @Sendable () -> Void) {
    let all = state.withLock { state in
      state.waiting.append(resume)
      guard state.waiting.count == size else { return [@Sendable () -> Void]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for resume in all { resume() }
  }
}

private struct GatheringPlugin: Plugin {
  static let name = "gathering"
  var gathering = Gathering(size: 1)
  var actions: [any ActionType.Type] { [Join.self] }
  var handles: [PluginHandle] { [PluginHandle(.gathering, gathering)] }

  struct Join: Action, DetailedAction {
    static let name = "gathering.join"
    static let summary = "Waits until as many bodies wait as the gathering has"

    struct Input: ActionInput {
      @Field("How often it waits") var parts = 1
      @Field("Whether it fails in the end") var fails = false
    }

    func run(_ input: Input, in context: ActionContext) throws -> NoOutput { NoOutput() }

    func bodyInParts() -> BodyInParts? {
      let inputs = InputMaker<Input>()
      return BodyInParts { values, context, _ in
        let input = try inputs.make(values)
        let gathering: Gathering = try context.handle(.gathering)
        return part(input.parts, input.fails, gathering)
      }
    }

    private func part(_ left: Int, _ fails: Bool, _ gathering: Gathering) -> BodyInParts.Progress {
      .waits(start: { gathering.join($0) }) {
        if left > 1 { return part(left - 1, fails, gathering) }
        if fails { throw ActionError("late", "the last part failed", isRetryable: false) }
        gathering.noteEnd()
        return .ended([:])
      }
    }
  }
}
