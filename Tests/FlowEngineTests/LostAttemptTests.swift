import FlowEngine
import FlowModel
import FlowPluginKit
import Synchronization
import Testing

/// The number of attempts after some were lost, and the resources that they request.
@Suite(.timeLimit(.minutes(10))) struct LostAttemptTests {
  /// An executor that loses one attempt for each of the given reasons, and runs the next one.
  private final class LosingExecutor: StepExecutor {
    let name = "slurm"
    let slots = 1
    private let losses: Mutex<[ExecutorLost]>
    let requests = Mutex<[Int?]>([])

    init(_ losses: [ExecutorLost]) { self.losses = Mutex(losses) }

    func run(
      _ action: ActionDeclaration, _ inputs: ValueObject, taking request: MachineResources?, files: StepFiles?,
      _ context: ActionContext
    ) async throws -> ValueObject {
      requests.withLock { $0.append(request?.cpus) }
      if let loss = losses.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw loss }
      return [:]
    }
  }

  /// Returns the processors that each attempt of a step requested, and the conclusion.
  private func attempts(
    _ losses: [ExecutorLost], retry: RetryPolicy? = nil, limit: Int? = nil
  ) async throws -> (cpus: [Int?], conclusion: RunConclusion) {
    let executor = LosingExecutor(losses)
    var fixture = EngineFixture([
      Step("grows", "flow.noop") {
        $0.request = MachineResources(cpus: 1)
        $0.laterRequests = [2, 3, 4].map { MachineResources(cpus: $0) }
        $0.retry = retry
      }
    ])
    var placement = ExecutorPlacement(executors: [executor], assignment: [0: 0])
    if let limit { placement.lostAttempts = limit }
    fixture.change = { [placement] in $0.placement = placement }
    let report = try await fixture.run()
    return (executor.requests.withLock { $0 }, report.conclusion)
  }

  @Test func `the resource request grows after a loss of unknown cause, but not if the machine failed`() async throws {
    let (lost, node) = (ExecutorLost("gone"), ExecutorLost("*** JOB 5 CANCELLED DUE TO NODE FAILURE ***"))
    #expect(try await attempts([lost, lost]).cpus == [1, 2, 3])
    #expect(try await attempts([node, ExecutorLost("STEP 5.0 CANCELLED DUE TO PREEMPTION")]).cpus == [1, 1, 1])
    #expect(try await attempts([lost, node, lost]).cpus == [1, 2, 2, 3])
  }

  @Test func `a step is repeated after at most 3 lost attempts, or after as many as the run allows`() async throws {
    let losses = Array(repeating: ExecutorLost("gone"), count: 9)
    let usual = try await attempts(losses)
    #expect(usual.cpus.count == 4 && usual.conclusion == .failure)
    #expect(try await attempts(losses, limit: 1).cpus.count == 2)
    #expect(try await attempts(losses, limit: 0).cpus.count == 1)
  }

  @Test func `an attempt that exceeded its job's time limit is repeated only if a retry policy allows it`() async throws
  {
    let late = ExecutorLost("DUE TO TIME LIMIT", isFinal: true, isTimeUp: true)
    #expect(try await attempts([late]).cpus == [1])
    var policy = RetryPolicy(attempts: 2, delay: .zero)
    let repeated = try await attempts([late], retry: policy)
    #expect(repeated.cpus == [1, 2] && repeated.conclusion == .success)
    policy.reasons = RetryReasons([.timedOut], areExcepted: true)
    #expect(try await attempts([late], retry: policy).cpus == [1])
  }

  @Test func `the reasons for retries decide whether a lost attempt is repeated`() async throws {
    let (lost, memory) = (ExecutorLost("gone"), ExecutorLost("Detected 1 oom-kill event"))
    var policy = RetryPolicy(attempts: 2, delay: .zero)
    policy.reasons = RetryReasons([.outOfMemory], areExcepted: true)
    #expect(try await attempts([memory], retry: policy).cpus == [1])
    #expect(try await attempts([lost, lost], retry: policy).cpus == [1, 2, 3])
    policy.reasons = RetryReasons([.lost])
    #expect(try await attempts([lost, lost], retry: policy).cpus == [1, 2])
    policy.reasons = RetryReasons([.statuses(75...75)])
    #expect(try await attempts([lost, lost], retry: policy).cpus == [1, 2, 3])
  }
}
