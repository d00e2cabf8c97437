import FlowEngine
import FlowModel
import Synchronization
import Testing

/// Steps that request resources of the machine, run with threads and clocks.
struct MachineTests {
  /// Returns one of many steps in several pools. Most of them request resources, and some compute.
  private static func step(_ number: Int) -> Step {
    let needs: [StepIndex] = number > 20 ? [StepIndex(number - 20)] : []
    let pools: [String?] = [nil, "background", "utility", nil]
    let request = MachineResources(cpus: 1 + number % 4, memoryBytes: number % 9, gpus: number % 5 == 0 ? 1 : 0)
    return Step("s\(number)", number % 3 == 0 ? "probe.spin" : "flow.noop", needs: needs) { options in
      options.request = number % 7 == 0 ? nil : request
      options.queue = pools[number % 4]
    }
  }

  private static let capacity = MachineResources(cpus: 4, memoryBytes: 8, gpus: 1)

  private func fixture(_ steps: [Step]) -> EngineFixture {
    var fixture = EngineFixture(steps)
    fixture.change = { $0.capacity = Self.capacity }
    return fixture
  }

  @Test func `running steps never request more resources than the machine has`() async throws {
    let steps = (0..<200).map(Self.step)
    let report = try await fixture(steps).run()
    #expect(report.conclusion == .success)
    var changes: [(at: Double, isStart: Bool, request: MachineResources)] = []
    for step in report.steps {
      guard let request = step.request, let started = step.startedAt, let ended = step.endedAt else { continue }
      changes += [(started, true, request), (ended, false, request)]
    }
    #expect(changes.count == 2 * steps.count { $0.options.request != nil })
    var free = Self.capacity
    for change in changes.sorted(by: { ($0.at, $0.isStart ? 1 : 0) < ($1.at, $1.isStart ? 1 : 0) }) {
      free = free.without(change.request, times: change.isStart ? 1 : -1)
      #expect(free.cpus >= 0 && free.memoryBytes >= 0 && free.gpus >= 0, "at \(change.at)")
    }
  }

  @Test func `a step that waits for resources does not delay other steps that fit, in any pool`() async throws {
    let probe = ProbePlugin()
    var fixture = fixture([
      Step("holds", "probe.hold") { $0.request = MachineResources(cpus: 3) },
      Step("waits") { $0.request = MachineResources(cpus: 4) },
      Step("fits", "probe.note") {
        $0.request = MachineResources(cpus: 1)
        $0.queue = "background"
      },
    ])
    fixture.plugins[1] = probe
    let run = try fixture.start()
    let limit = ContinuousClock.now + .seconds(30)
    while probe.diary.count == 0, ContinuousClock.now < limit { await Task.yield() }
    probe.door.open()
    let report = await run.report
    #expect(report.conclusion == .success)
    let (waits, holds, fits) = (report["waits"], report["holds"], report["fits"])
    #expect(waits.startedAt! >= holds.endedAt! && fits.startedAt! <= holds.endedAt!)
  }

  @Test func `each attempt of a step uses its own resource request, not that of the previous attempt`() async throws {
    let probe = ProbePlugin()
    var fixture = fixture([
      Step("grows", "probe.fail-twice", needs: [2]) {
        $0.request = MachineResources(cpus: 1)
        $0.laterRequests = [MachineResources(cpus: 2), MachineResources(cpus: 3)]
        $0.retry = RetryPolicy(attempts: 3, delay: .zero)
      },
      Step("holds", "probe.hold") { $0.request = MachineResources(cpus: 3) },
      Step("begin") { $0.after = ["begin"] },
    ])
    fixture.plugins[1] = probe
    fixture.workflow.events = [EventDeclaration("begin")]
    let retries = RetryListener()
    fixture.change = {
      $0.capacity = Self.capacity
      $0.acceptsEvents = true
      $0.observer = retries
    }
    let run = try fixture.start()
    let limit = ContinuousClock.now + .seconds(30)
    while probe.door.waiting.load(ordering: .acquiring) == 0, ContinuousClock.now < limit { await Task.yield() }
    run.post("begin")
    run.finishPosting()
    while retries.count == 0, ContinuousClock.now < limit { await Task.yield() }
    probe.door.open()
    let report = await run.report
    #expect(report.conclusion == .success)
    let (grows, holds) = (report["grows"], report["holds"])
    #expect(grows.attempts == 3 && grows.request == MachineResources(cpus: 3))
    #expect(grows.endedAt! > holds.endedAt! && grows.attemptTimes[1].startedAt! >= holds.endedAt!)
  }

  @Test func `a run does not start if the resource request of a later attempt exceeds the capacity`() {
    let steps = [
      Step("grows") {
        $0.request = MachineResources(cpus: 2)
        $0.laterRequests = [MachineResources(cpus: 4), MachineResources(cpus: 6)]
        $0.retry = RetryPolicy(attempts: 3)
      }
    ]
    #expect {
      _ = try fixture(steps).start()
    } throws: {
      "\($0)" == "step 'grows': attempt 3 asks for 6 cpus, but there are 4 in '--resources'"
    }
  }

  @Test func `a run does not start if a step requests more resources than the capacity`() {
    let steps = [Step("big") { $0.request = MachineResources(cpus: 64) }]
    #expect {
      _ = try fixture(steps).start()
    } throws: {
      "\($0)" == "step 'big': asks for 64 cpus, but there are 4 in '--resources'"
    }
    let hungry = [Step("big") { $0.request = MachineResources(memoryBytes: 1 << 50) }]
    #expect {
      _ = try EngineFixture(hungry).start()
    } throws: {
      "\($0)".hasPrefix("step 'big': asks for 1024TiB of memory, but there is ")
        && "\($0)".hasSuffix(" on this machine")
    }
  }
}

/// Counts failed attempts that are followed by another one.
private final class RetryListener: RunObserver {
  private let retries = Mutex(0)
  var count: Int { retries.withLock { $0 } }

  func receive(_ events: [RunEvent]) {
    let heard = events.count { if case .stepRetrying = $0.kind { true } else { false } }
    retries.withLock { $0 += heard }
  }
}
