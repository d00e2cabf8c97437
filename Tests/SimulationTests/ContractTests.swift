import FlowModel
import FlowTestKit
import Testing

/// The rules of the workflow format, each tested in a run that is as small as possible.
struct `A step` {
  @Test func `if a step fails, all steps downstream of it are skipped at once, and no others`() throws {
    var run = ScenarioBuilder()
    run.step("bad", .fails(after: .milliseconds(10)))
    run.step("slow", takes: 100)
    run.step("below", needs: ["bad", "slow"], takes: 10)
    run.step("further", needs: ["below"], takes: 10)
    run.step("beside", needs: ["slow"], takes: 10)
    let record = try simulate(run)
    #expect(record.end("below") == "skipped: upstream-failed")
    #expect(record["further"].endedAt == 10_000_000)
    #expect(record.span("beside") == "100..110")
  }

  @Test func `a step with failure() runs only after a failure, and its dependents run even if it is skipped`() throws {
    var run = ScenarioBuilder()
    run.step("bad", .fails(after: .milliseconds(10)))
    run.step("slow", takes: 30)
    run.step("mend", needs: ["bad", "slow"], takes: 10) { $0.condition = "failure()" }
    run.step("after", needs: ["mend"], takes: 10)
    run.step("idle-mend", needs: ["slow"], takes: 10) { $0.condition = "failure()" }
    run.step("unharmed", needs: ["idle-mend"], takes: 10)
    let record = try simulate(run)
    #expect(record.span("mend") == "30..40")
    #expect(record.span("after") == "40..50")
    #expect(record.end("idle-mend") == "skipped: condition")
    #expect(record.span("unharmed") == "30..40")
    #expect(record.conclusion == "failure")
  }

  @Test func `a condition with a status function is evaluated once all dependencies have ended, whatever the outcomes`()
    throws
  {
    var run = ScenarioBuilder()
    run.step("bad", .fails(after: .milliseconds(10)))
    run.step("slow", takes: 30)
    for (id, condition) in [
      ("not", "!success()"), ("equal", "success() == false"), ("or", "success() || true"), ("and", "success() && true"),
      ("plain", "true"),
    ] {
      run.step(id, needs: ["bad", "slow"], takes: 10) { $0.condition = condition }
    }
    let record = try simulate(run)
    #expect(record.span("not") == "30..40")
    #expect(record.span("equal") == "30..40")
    #expect(record.span("or") == "30..40")
    #expect(record.end("and") == "skipped: upstream-failed" && record.span("and") == "-..30")
    // An `if` without a status function is decided by the dependencies alone, as soon as possible.
    #expect(record.end("plain") == "skipped: upstream-failed" && record.span("plain") == "-..10")
  }

  @Test func `a condition with a status function is evaluated even if a dependency's event is never posted`() throws {
    var run = ScenarioBuilder()
    run.step("waiter", takes: 10) {
      $0.after = ["news"]
      $0.blocking = false
    }
    run.step("not", needs: ["waiter"], takes: 10) {
      $0.condition = "!success()"
      $0.blocking = false
    }
    run.step("failed", needs: ["waiter"], takes: 10) {
      $0.condition = "failure()"
      $0.blocking = false
    }
    let record = try simulate(run)
    #expect(record.end("waiter") == "skipped: event-never-posted")
    #expect(record.end("not") == "success")
    #expect(record.end("failed") == "skipped: event-never-posted")
  }

  @Test func `an optional step that fails satisfies its dependents and the gate, and makes the run partial`() throws {
    var run = ScenarioBuilder()
    run.step("maybe", .fails(after: .milliseconds(10))) { $0.isOptional = true }
    run.step("next", needs: ["maybe"], takes: 10)
    let record = try simulate(run)
    #expect(record.span("next") == "10..20")
    #expect(record.opening == "ready at 20")
    #expect(record["maybe"].outcome == "failure")
    #expect(record["maybe"].conclusion == "success")
    #expect(record.conclusion == "partial")
  }

  @Test func `a step is retried after pauses that grow up to max-delay`() throws {
    var run = ScenarioBuilder()
    run.step("flaky", .failing(times: 4, takes: 10)) {
      $0.retry = RetryPolicy(attempts: 5, delay: .milliseconds(100), backoff: 2, maxDelay: .milliseconds(300))
    }
    let record = try simulate(run)
    // Each of the five attempts takes 10 ms. The pauses are 100, 200, 300 and 300 ms.
    #expect(record.span("flaky") == "0..950")
    #expect(record["flaky"].attempts == 5)
  }

  @Test func `with full jitter, a retry is delayed by a random part of the full delay`() throws {
    var run = ScenarioBuilder()
    run.step(
      "flaky", StepScript([.fails(after: .milliseconds(10)), .succeeds(after: .milliseconds(10))], draws: [0.25])
    ) { $0.retry = RetryPolicy(attempts: 2, delay: .milliseconds(100), jitter: .full) }
    #expect(try simulate(run).span("flaky") == "0..45")
  }

  @Test func `a step fails at once after an error that is not retryable`() throws {
    var run = ScenarioBuilder()
    run.step("bad", .fails(after: .milliseconds(10), retryable: false)) { $0.retry = RetryPolicy(attempts: 5) }
    let record = try simulate(run)
    #expect(record["bad"].attempts == 1)
    #expect(record.span("bad") == "0..10")
  }

  @Test func `a step fails with its last error if another attempt could not start before its maximum`() throws {
    var run = ScenarioBuilder()
    run.step("bad", .fails(after: .milliseconds(10))) {
      $0.retry = RetryPolicy(attempts: 5, delay: .milliseconds(40))
      $0.deadline = StepDeadline(max: .milliseconds(100))
    }
    let record = try simulate(run)
    // Attempts start at 0 and 50 ms. The next one would start at 100 ms.
    #expect(record["bad"].attempts == 2)
    #expect(record.end("bad") == "failure")
    #expect(record.span("bad") == "0..60")
  }

  @Test func `a step reports success no earlier than its minimum, and failure at once`() throws {
    var run = ScenarioBuilder()
    let minimum = StepDeadline(min: .milliseconds(100))
    run.step("good", takes: 10) { $0.deadline = minimum }
    run.step("bad", .fails(after: .milliseconds(10))) {
      $0.deadline = minimum
      $0.isOptional = true
    }
    run.step("next", needs: ["good"], takes: 10)
    let record = try simulate(run)
    #expect(record.span("good") == "0..100")
    #expect(record.span("bad") == "0..10")
    #expect(record.span("next") == "100..110")
  }

  @Test func `a step releases its slot while it waits for its minimum`() throws {
    var run = ScenarioBuilder()
    run.step("first", takes: 10) { $0.deadline = StepDeadline(min: .milliseconds(100)) }
    run.step("second", takes: 10)
    run.with { $0.workflow.concurrency = 1 }
    #expect(try simulate(run).span("second") == "10..20")
  }

  @Test func `a step times out at its maximum, but keeps its slot in a named queue until its body returns`() throws {
    var run = ScenarioBuilder()
    run.step(
      "late", StepScript([StepBehavior(duration: nil, respondsToCancellationAfter: .milliseconds(70))])
    ) {
      $0.deadline = StepDeadline(max: .milliseconds(50))
      $0.queue = "database"
      $0.isOptional = true
    }
    run.step("queued", takes: 10) { $0.queue = "database" }
    run.step("dependent", needs: ["late"], takes: 10)
    run.with { $0.workflow.queues = [QueueDeclaration(name: "database", qualityOfService: .utility, width: 1)] }
    let record = try simulate(run)
    #expect(record.end("late") == "timed-out")
    #expect(record.span("late") == "0..50")
    #expect(record["late"].overrun == 70_000_000)
    #expect(record.span("queued") == "120..130")
    #expect(record.span("dependent") == "50..60")
    #expect(!record["late"].isAbandoned)
  }

  @Test func `a step that hangs is abandoned after a grace period of 1 s, and then releases its slot`() throws {
    var run = ScenarioBuilder()
    run.step("deaf", StepScript([.hangs])) {
      $0.deadline = StepDeadline(max: .milliseconds(50))
      $0.queue = "database"
      $0.isOptional = true
    }
    run.step("queued", takes: 10) { $0.queue = "database" }
    run.with { $0.workflow.queues = [QueueDeclaration(name: "database", qualityOfService: .utility, width: 1)] }
    let record = try simulate(run)
    #expect(record["deaf"].isAbandoned)
    #expect(record["deaf"].overrun == 1_000_000_000)
    #expect(record.span("queued") == "1050..1060")
    #expect(record.conclusion == "partial")
  }

  @Test func `a step that ends at the exact time of its deadline succeeds`() throws {
    var run = ScenarioBuilder()
    run.step("just", takes: 50) { $0.deadline = StepDeadline(max: .milliseconds(50)) }
    #expect(try simulate(run).end("just") == "success")
  }

  @Test func `a step does not wait for an event that was already posted`() throws {
    var run = ScenarioBuilder()
    run.step("poster", .posting("early", takes: 10))
    run.step("slow", takes: 100)
    run.step("waiter", needs: ["slow"], takes: 10) { $0.after = ["early"] }
    run.event("early", at: 90)
    let record = try simulate(run)
    #expect(record.span("waiter") == "100..110")
    #expect(record.events["early"] == 10_000_000)
  }

  @Test
  func `with limited concurrency, blocking steps start first, and among them those with the longest path`()
    throws
  {
    var run = ScenarioBuilder()
    run.step("aside", takes: 10) {
      $0.blocking = false
      $0.estimate = Estimate(low: .zero, high: .seconds(9))
    }
    run.step("short", takes: 10) { $0.estimate = Estimate(low: .zero, high: .milliseconds(10)) }
    run.step("long", takes: 10) { $0.estimate = Estimate(low: .zero, high: .milliseconds(20)) }
    run.step("plain", takes: 10)
    run.with { $0.workflow.concurrency = 1 }
    let record = try simulate(run)
    #expect(["long", "short", "plain", "aside"].map { record.span($0) } == ["0..10", "10..20", "20..30", "30..40"])
  }

  @Test func `a step on main waits for the previous step on main`() throws {
    var run = ScenarioBuilder()
    for name in ["a", "b"] { run.step(name, takes: 10) { $0.queue = "main" } }
    run.step("c", takes: 10)
    let record = try simulate(run)
    #expect(["a", "b", "c"].map { record.span($0) } == ["0..10", "10..20", "0..10"])
  }
}

/// Steps that are deferred, and steps that wait for an idle run.
struct `A deferred step` {
  @Test func `a deferred step starts after the gate has opened, whatever the gate's outcome`() throws {
    var run = ScenarioBuilder()
    run.step("bad", .fails(after: .milliseconds(20)))
    run.step("later", takes: 10) { $0.deferral = .afterGate }
    let record = try simulate(run)
    #expect(record.opening == "failed at 20")
    #expect(record.span("later") == "20..30")
  }

  @Test func `a step deferred until idle starts when only idle steps and services are queued or running`() throws {
    var run = ScenarioBuilder()
    run.step("service", StepScript([.ready(after: .milliseconds(5))], isService: true))
    run.step("gate", takes: 10)
    run.step("aside", takes: 100) { $0.blocking = false }
    run.step("idle-a", takes: 10) { $0.deferral = .idle }
    run.step("idle-b", takes: 20) { $0.deferral = .idle }
    run.step("after-a", needs: ["idle-a"], takes: 10)
    let record = try simulate(run)
    #expect(record.opening == "ready at 10")
    #expect(record.span("idle-a") == "100..110")
    #expect(record.span("idle-b") == "100..120")
    #expect(record.span("after-a") == "110..120")
    #expect(record.endedAt == 120_000_000)
  }
}

/// Steps whose actions continue to run after they have reported that they are ready.
struct `A service` {
  @Test func `a service counts as finished once it is ready, but keeps running until the end of the run`() throws {
    var run = ScenarioBuilder()
    run.step(
      "service",
      StepScript(
        [StepBehavior(duration: nil, respondsToCancellationAfter: .milliseconds(40), readyAfter: .milliseconds(20))],
        isService: true))
    run.step("user", needs: ["service"], takes: 30)
    let record = try simulate(run)
    #expect(record.span("user") == "20..50")
    #expect(record.end("service") == "success")
    #expect(record.endedAt == 90_000_000)
    #expect(record.conclusion == "success")
  }

  @Test func `a service is stopped only after the services that need it have ended`() throws {
    var run = ScenarioBuilder()
    let script = StepScript(
      [StepBehavior(duration: nil, respondsToCancellationAfter: .milliseconds(40), readyAfter: .milliseconds(10))],
      isService: true)
    run.step("low", script)
    run.step("between", needs: ["low"], takes: 10)
    run.step("high", needs: ["between"], script)
    let record = try simulate(run)
    #expect(record.end("low") == "success" && record.end("high") == "success")
    // Both services are ready at 30 ms, and each takes 40 ms to stop.
    #expect(record.endedAt == 110_000_000)
  }

  @Test func `if a service that is a command ends by itself, only the steps that need it are cancelled`() throws {
    var run = ScenarioBuilder()
    var script = StepScript(
      [
        StepBehavior(
          duration: .milliseconds(50), ending: .failure(retryable: false), respondsToCancellationAfter: .zero,
          readyAfter: .milliseconds(10))
      ], isService: true)
    script.isCommandService = true
    run.step("service", script)
    run.step("first", needs: ["service"], takes: 10)
    run.step("second", needs: ["first"], takes: 100)
    run.step("third", needs: ["second"], takes: 10)
    run.step("other", takes: 100)
    run.step("asks", needs: ["service", "other"], takes: 10) { $0.condition = "failure()" }
    let record = try simulate(run)
    #expect(record.end("first") == "success")
    #expect(record.end("second") == "cancelled" && record.span("second") == "20..50")
    #expect(record.end("third") == "skipped: upstream-failed")
    #expect(record.end("asks") == "success" && record.end("other") == "success")
    #expect(record.conclusion == "failure")
  }

  @Test func `a service keeps the run from being idle while a step waits for an event of the service`() throws {
    var run = ScenarioBuilder()
    run.step(
      "receiver",
      StepScript(
        [
          StepBehavior(
            duration: nil, posts: [ScriptedPost(after: .milliseconds(700), "received")], readyAfter: .zero)
        ], isService: true))
    run.step("waiter", takes: 10) {
      $0.after = ["received"]
      $0.deferral = .afterGate
    }
    run.step("never", takes: 10) {
      $0.after = ["nobody"]
      $0.blocking = false
    }
    let record = try simulate(run)
    #expect(record.span("waiter") == "700..710")
    #expect(record.end("never") == "skipped: event-never-posted")
    #expect(record.endedAt == 710_000_000)
  }
}

/// The launch gate in small runs, with its outcome and time.
struct `The gate` {
  @Test func `the gate opens at its minimum if no step is blocking`() throws {
    var run = ScenarioBuilder(min: 70)
    run.step("aside", takes: 200) { $0.blocking = false }
    #expect(try simulate(run).opening == "ready at 70")
  }

  @Test func `the gate is ready if the last blocking step ends at the exact time of the maximum`() throws {
    var run = ScenarioBuilder(min: 50, max: 50)
    run.step("just", takes: 50)
    #expect(try simulate(run).opening == "ready at 50")
  }

  @Test func `the gate opens as failed at its minimum if a blocking step failed before that`() throws {
    var run = ScenarioBuilder(min: 100, max: 500)
    run.step("bad", .fails(after: .milliseconds(10)))
    run.step("slow", takes: 300)
    let record = try simulate(run)
    #expect(record.opening == "failed at 100")
    #expect(record.gate.failed == ["bad"])
    #expect(record.gate.late == [])
    #expect(record.gate.readyAt == nil)
  }

  @Test func `the gate does not fail if an optional blocking step is skipped because a dependency failed`() throws {
    var run = ScenarioBuilder()
    run.step("beside", .fails(after: .milliseconds(10))) { $0.blocking = false }
    run.step("maybe", needs: ["beside"], takes: 10) { $0.isOptional = true }
    run.step("below", needs: ["maybe"], takes: 10) { $0.blocking = false }
    run.step("main", takes: 30)
    let record = try simulate(run)
    #expect(record.end("maybe") == "skipped: upstream-failed")
    #expect(record.end("below") == "skipped: upstream-failed")
    #expect(record.opening == "ready at 30")
    #expect(record.gate.failed.isEmpty)
    #expect(record.conclusion == "failure")
  }

  @Test func `the gate opens as failed if a blocking step depends on a step whose event is never posted`()
    throws
  {
    var run = ScenarioBuilder()
    run.step("waiter", takes: 10) {
      $0.after = ["news"]
      $0.blocking = false
    }
    run.step("blocking", needs: ["waiter"], takes: 10)
    let record = try simulate(run)
    #expect(record.end("waiter") == "skipped: event-never-posted")
    #expect(record.end("blocking") == "skipped: event-never-posted")
    #expect(record.gate.outcome == "failed")
    #expect(record.conclusion == "failure")
  }

  @Test func `a gate without a maximum opens as failed if it awaits an event that only deferred steps post`() throws {
    var run = ScenarioBuilder()
    run.step("waiter", takes: 10) { $0.after = ["posted-later"] }
    run.step("poster", .posting("posted-later", takes: 10)) { $0.deferral = .afterGate }
    let record = try simulate(run)
    #expect(record.opening == "failed at 0")
    #expect(record.end("waiter") == "skipped: event-never-posted")
    #expect(record.span("poster") == "0..10")
    #expect(record.conclusion == "failure")
  }

  @Test func `the gate times out at its maximum, and a late step still runs when its event is posted`() throws {
    var run = ScenarioBuilder(max: 100)
    run.step("waiter", takes: 10) { $0.after = ["posted-later"] }
    run.step("poster", .posting("posted-later", takes: 10)) { $0.deferral = .afterGate }
    let record = try simulate(run)
    #expect(record.opening == "timed-out at 100")
    #expect(record.gate.late == ["waiter"])
    #expect(record.span("waiter") == "110..120")
    #expect(record.conclusion == "partial")
  }
}

/// Runs that are cancelled while steps run, wait or clean up.
struct `A cancelled run` {
  @Test func `a cancelled run cancels running steps, skips waiting ones, and runs cleanup steps`() throws {
    var run = ScenarioBuilder(min: 500)
    run.step("running", takes: 1000)
    run.step("below", needs: ["running"], takes: 10)
    run.step("tidy", needs: ["running"], takes: 10) { $0.condition = "always()" }
    run.step("tell", takes: 10) {
      $0.condition = "cancelled()"
      $0.after = ["never"]
      $0.deferral = .afterGate
    }
    run.step("not-me", takes: 10) {
      $0.condition = "!cancelled()"
      $0.after = ["never"]
    }
    run.cancel(at: 100)
    let record = try simulate(run)
    #expect(record.end("running") == "cancelled")
    #expect(record.end("below") == "skipped: run-cancelled")
    #expect(record.span("tidy") == "100..110")
    #expect(record.span("tell") == "100..110")
    #expect(record.end("not-me") == "skipped: run-cancelled")
    #expect(record.gate.outcome == "cancelled")
    #expect(record.gate.openedAt == nil)
    #expect(record.conclusion == "cancelled")
    #expect(record.endedAt == 110_000_000)
  }

  @Test func `a cancelled run keeps the outcome of a gate that was already open`() throws {
    var run = ScenarioBuilder()
    run.step("first", takes: 10)
    run.step("aside", takes: 1000) { $0.blocking = false }
    run.cancel(at: 100)
    let record = try simulate(run)
    #expect(record.opening == "ready at 10")
    #expect(record.conclusion == "cancelled")
  }

  @Test func `cleanup in a cancelled run may take five seconds after the last cancelled step has ended`() throws {
    var run = ScenarioBuilder()
    run.step("running", StepScript([.hangs]))
    run.step("cleanup", needs: ["running"], StepScript([.hangs])) { $0.condition = "always()" }
    run.cancel(at: 100)
    let record = try simulate(run)
    // The first step has one second of grace, and then cleanup has five seconds.
    #expect(record.span("cleanup").hasSuffix("..6100"))
  }

  @Test func `all cleanup steps in a cancelled run share five seconds, and a body that hangs then gets one more`()
    throws
  {
    var run = ScenarioBuilder()
    run.step("running", takes: 60_000)
    run.step("cleanup", needs: ["running"], StepScript([.hangs])) { $0.condition = "always()" }
    run.step("second", needs: ["cleanup"], takes: 10) { $0.condition = "always()" }
    run.cancel(at: 100)
    let record = try simulate(run)
    #expect(record.span("cleanup") == "100..5100")
    #expect(record["cleanup"].isAbandoned)
    #expect(record.end("second") == "skipped: run-cancelled")
    #expect(record.endedAt == 6_100_000_000)
  }
}
