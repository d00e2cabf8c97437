import FlowModel
import FlowTestKit
import Testing

/// Launches on the virtual clock. The durations in each test are those of its requirement.
struct `A launch` {
  /// Returns a launch with the project's gate: a splash screen of at least 2 s and at most 5 s.
  private func launch() -> ScenarioBuilder { ScenarioBuilder(min: 2000, max: 5000) }

  @Test func `a launch runs its five phases in order (L1, L2)`() throws {
    var phases = ScenarioBuilder()
    for (index, time) in [200, 300, 50, 400, 100].enumerated() {
      phases.step("phase-\(index)", needs: index == 0 ? [] : ["phase-\(index - 1)"], takes: time)
    }
    let record = try simulate(phases)
    #expect(
      (0..<5).map { record.span("phase-\($0)") } == ["0..200", "200..500", "500..550", "550..950", "950..1050"])
    #expect(record.opening == "ready at 1050")
  }

  @Test func `a launch fails if the store throws, and reports the skipped dependents (L6)`() throws {
    var store = launch()
    store.step("store", .fails(after: .milliseconds(120), retryable: false))
    store.step("content", needs: ["store"], takes: 200)
    let record = try simulate(store)
    #expect(record.opening == "failed at 2000")
    #expect(record.gate.failed == ["store", "content"])
    #expect(record.end("content") == "skipped: upstream-failed")
    #expect(record["content"].endedAt == 120_000_000)
    #expect(record.conclusion == "failure")
  }

  @Test(arguments: [false, true])
  func `a launch runs the dependents of a step whether the step is enabled or disabled (L8, L9)`(
    isEnabled: Bool
  ) throws {
    var cloud = launch()
    cloud.step("store", takes: 100)
    cloud.step("cloud", needs: ["store"], takes: 500) { $0.enabled = .literal(isEnabled) }
    cloud.step("places", needs: ["store", "cloud"], takes: 50)
    let record = try simulate(cloud)
    #expect(record.end("cloud") == (isEnabled ? "success" : "skipped: disabled"))
    #expect(record.span("places") == (isEnabled ? "600..650" : "100..150"))
    #expect(record.opening == "ready at 2000")
  }

  @Test func `a launch runs its managers in parallel in 300 ms, less than the sum of 750 ms (L15)`() throws {
    var managers = ScenarioBuilder()
    let upperEnds = ["sign-in": 300, "language": 150, "country": 200, "brand-color": 50, "appearance": 50]
    for (name, time) in upperEnds.sorted(by: { $0.key < $1.key }) { managers.step(name, takes: time) }
    managers.step("content", needs: upperEnds.keys.sorted(), takes: 500)
    let record = try simulate(managers)
    #expect(record.span("content") == "300..800")
    #expect(upperEnds.values.reduce(0, +) == 750)
  }

  @Test func `a launch starts the content view only when all five managers have ended (L17)`() throws {
    var launch = launch()
    for index in 1...5 { launch.step("manager-\(index)", takes: index * 10) { $0.queue = "main" } }
    launch.step("content", needs: (1...5).map { "manager-\($0)" }, takes: 200) { $0.queue = "main" }
    #expect(try simulate(launch).span("content") == "150..350")
  }

  @Test func `a launch does not wait for a location service that takes 3 s (L18, L19)`() throws {
    var location = launch()
    location.step("content", takes: 300)
    location.step(
      "location", StepScript([.ready(after: .seconds(3))], isService: true)
    ) { $0.blocking = false }
    let record = try simulate(location)
    #expect(record.opening == "ready at 2000")
    #expect(record.span("location") == "0..3000")
    #expect(record.conclusion == "success")
  }

  @Test func `a launch asks for the location at the first use of the map, but not before (L20, L21, L37, L42)`() throws
  {
    var permission = launch()
    permission.step("content", takes: 300)
    permission.step("ask", takes: 40) {
      $0.deferral = .afterGate
      $0.after = ["map.first-use"]
    }
    permission.event("map.first-use", at: 9000)
    let record = try simulate(permission)
    #expect(record.span("ask") == "9000..9040")
    #expect(record["ask"].isDeferred && !record["ask"].isBlocking)
    #expect(record.events["map.first-use"] == 9_000_000_000)
  }

  @Test func `a launch succeeds without asking for the location if the map is not used (L21)`() throws {
    var permission = launch()
    permission.step("content", takes: 300)
    permission.step("ask", takes: 40) {
      $0.deferral = .afterGate
      $0.after = ["map.first-use"]
    }
    let record = try simulate(permission)
    #expect(record.end("ask") == "skipped: event-never-posted")
    #expect(record.conclusion == "success")
    #expect(record.endedAt == 2_000_000_000)
  }

  @Test func `a launch queries data in parallel with other steps (L23, L29)`() throws {
    var data = launch()
    data.step("store", takes: 100)
    data.step("trips", needs: ["store"], takes: 400) { $0.blocking = false }
    data.step("preferences", needs: ["store"], takes: 300) { $0.isOptional = true }
    let record = try simulate(data)
    #expect(record.span("trips") == "100..500")
    #expect(record.span("preferences") == "100..400")
  }

  @Test(arguments: [true, false])
  func `the gate waits for the cloud only in the first launch of an app (L25)`(isFirst: Bool) throws {
    var cloud = launch()
    cloud.step("pull", takes: 2500) { $0.condition = "launch.first" }
    cloud.step("places", needs: ["pull"], takes: 100)
    cloud.with { $0.launch.isFirst = isFirst }
    let record = try simulate(cloud)
    #expect(record.opening == (isFirst ? "ready at 2600" : "ready at 2000"))
    #expect(record.end("pull") == (isFirst ? "success" : "skipped: condition"))
  }

  @Test func `a launch shows the splash and prepares in the background at the same time (L27)`() throws {
    var splash = launch()
    splash.step("animation", takes: 2000) { $0.queue = "main" }
    splash.step("prepare", takes: 700)
    let record = try simulate(splash)
    #expect(record.span("animation") == "0..2000")
    #expect(record.span("prepare") == "0..700")
  }

  @Test(arguments: [
    ("fast (L31)", [200, 200, 400, 300], 1100), ("normal (L32)", [300, 200, 500, 400], 1400),
    ("first launch (L33)", [500, 300, 600, 500], 1900),
  ])
  func `every launch profile is ready early and opens at the minimum`(name: String, phases: [Int], total: Int) throws {
    var profile = launch()
    for (index, time) in phases.enumerated() {
      profile.step("phase-\(index)", needs: index == 0 ? [] : ["phase-\(index - 1)"], takes: time)
    }
    profile.step("sync", needs: ["phase-3"], takes: 5000) { $0.enabled = .literal(false) }
    let record = try simulate(profile)
    #expect(record.gate.readyAt == total * 1_000_000)
    #expect(record.opening == "ready at 2000")
  }

  @Test func `a launch times out at the maximum if the slowest profile also syncs for 5 s (L33)`() throws {
    var profile = launch()
    for (index, time) in [500, 300, 600, 500].enumerated() {
      profile.step("phase-\(index)", needs: index == 0 ? [] : ["phase-\(index - 1)"], takes: time)
    }
    profile.step("sync", needs: ["phase-3"], takes: 5000)
    let record = try simulate(profile)
    #expect(record.opening == "timed-out at 5000")
    #expect(record.gate.late == ["sync"])
    #expect(record.span("sync") == "1900..6900")
    #expect(record.gate.readyAt == 6_900_000_000)
    #expect(record.conclusion == "partial")
  }

  @Test func `a launch shows the splash for exactly 2 s if it is ready after 0.3 s (L34)`() throws {
    var fast = launch()
    fast.step("content", takes: 300)
    let record = try simulate(fast)
    #expect(record.gate.readyAt == 300_000_000)
    #expect(record.gate.openedAt == 2_000_000_000)
    #expect(record.endedAt == 2_000_000_000)
  }

  @Test(arguments: [true, false])
  func `a launch opens after exactly 5 s if a required step never ends, cancellable or not (L35)`(isDeaf: Bool) throws {
    var stuck = launch()
    stuck.step("stuck", StepScript([StepBehavior(duration: nil, respondsToCancellationAfter: isDeaf ? nil : .zero)])) {
      $0.deadline = StepDeadline(max: .seconds(8))
    }
    let record = try simulate(stuck)
    #expect(record.gate.outcome == "timed-out")
    #expect(record.gate.openedAt == 5_000_000_000)
    #expect(record.gate.late == ["stuck"])
    #expect(record.span("stuck") == "0..8000")
    #expect(record["stuck"].isAbandoned == isDeaf)
    #expect(record.endedAt == (isDeaf ? 9_000_000_000 : 8_000_000_000))
  }

  @Test(arguments: [true, false])
  func `a launch opens when its data is loaded, and waits for the location only if needed (L36)`(isNeeded: Bool)
    throws
  {
    var flags = ScenarioBuilder(min: 0, max: 5000)
    flags.step("cloud-connected", takes: 300) { $0.enabled = .literal(false) }
    flags.step("key-data-loaded", takes: 80)
    flags.step("location-ready", takes: 900) { $0.condition = "inputs.location" }
    flags.with { $0.inputs = ["location": .boolean(isNeeded)] }
    #expect(try simulate(flags).opening == (isNeeded ? "ready at 900" : "ready at 80"))
  }

  @Test func `a launch starts the map's steps when the splash has closed, even at the maximum (L38, L41)`() throws {
    var flow = launch()
    flow.step("app", takes: 100)
    flow.step("data", needs: ["app"], takes: 6000)
    flow.step("locations", takes: 300) { $0.blocking = false }
    flow.step("map", takes: 100) { $0.deferral = .afterGate }
    flow.step("details", needs: ["map"], takes: 100)
    let record = try simulate(flow)
    #expect(record.opening == "timed-out at 5000")
    #expect(record.span("map") == "5000..5100")
    #expect(record.span("details") == "5100..5200")
    #expect(record["details"].isDeferred)
    #expect(record.span("locations") == "0..300")
  }

  @Test func `a launch without a minimum opens as soon as it is ready (R3)`() throws {
    var brief = ScenarioBuilder(min: 0, max: 5000)
    brief.step("content", takes: 130)
    #expect(try simulate(brief).opening == "ready at 130")
  }

  @Test func `a launch restores state between will-finish and did-finish, then shows the interface (R5, R7, P1, P2)`()
    throws
  {
    var lifecycle = launch()
    lifecycle.step("launched", .posting("app.will-finish-launching", takes: 20))
    lifecycle.step("will-finish", takes: 30) { $0.after = ["app.will-finish-launching"] }
    lifecycle.step("restore", needs: ["will-finish"], .posting("app.did-finish-launching", takes: 50))
    lifecycle.step("did-finish", takes: 60) { $0.after = ["app.did-finish-launching"] }
    lifecycle.step("present", needs: ["did-finish"], .posting("ui.ready", takes: 10)) { $0.queue = "main" }
    lifecycle.step("shown", takes: 0) { $0.after = ["ui.ready"] }
    let record = try simulate(lifecycle)
    #expect(
      ["launched", "will-finish", "restore", "did-finish", "present", "shown"].map { record.span($0) }
        == ["0..20", "20..50", "50..100", "100..160", "160..170", "170..170"])
    #expect(record.events["app.did-finish-launching"] == 100_000_000)
  }

  @Test(arguments: [(LaunchReason.user, 2000), (.background, 40)])
  func `the gate waits for its minimum only if a user started the app (R9)`(reason: LaunchReason, opensAt: Int) throws {
    var background = ScenarioBuilder()
    background.with {
      $0.workflow.gate = GateDeadline(
        min: .expression("${{ launch.reason == 'user' && '2s' || '0s' }}"), max: .literal(.seconds(5)))
      $0.launch.reason = reason
    }
    background.step("content", takes: 40)
    #expect(try simulate(background).opening == "ready at \(opensAt)")
  }

  @Test(arguments: [(LaunchReason.location, "0..30"), (.user, "2000..2030")])
  func `the location service starts at once if a location caused the launch, and otherwise after the gate (R13, C11)`(
    reason: LaunchReason, span: String
  ) throws {
    var location = launch()
    location.step("content", takes: 300)
    location.step("location", StepScript([.ready(after: .milliseconds(30))], isService: true)) {
      $0.deferral = .expression("launch.reason != 'location'")
    }
    location.with { $0.launch.reason = reason }
    let record = try simulate(location)
    #expect(record.span("location") == span)
    #expect(record["location"].isDeferred == (reason == .user))
  }
}

struct `A prewarmed launch` {
  private func prewarmed(activatedAt: Int) -> ScenarioBuilder {
    var launch = ScenarioBuilder(min: 2000, max: 5000)
    launch.step("tables", takes: 100) { $0.prewarm = true }
    launch.step("index", needs: ["tables"], takes: 50) { $0.prewarm = true }
    launch.step("store", needs: ["index"], takes: 200)
    launch.prewarm(activatedAt: activatedAt)
    return launch
  }

  @Test func `a prewarmed launch runs only prewarm steps until it is activated (P3, P8)`() throws {
    let record = try simulate(prewarmed(activatedAt: 3000))
    #expect(record.span("tables") == "-3000..-2900")
    #expect(record.span("index") == "-2900..-2850")
    #expect(record.span("store") == "0..200")
    #expect(record.opening == "ready at 2000")
    #expect(record.gate.readyAt == 200_000_000)
  }

  @Test func `a prewarmed launch can be activated after four hours (P4)`() throws {
    let record = try simulate(prewarmed(activatedAt: 4 * 3_600_000))
    #expect(record.span("index") == "-14399900..-14399850")
    #expect(record.span("store") == "0..200")
    #expect(record.opening == "ready at 2000")
  }

  @Test func `a prewarmed launch that the system discards is cancelled, and its gate never opens (P4)`() throws {
    var discarded = prewarmed(activatedAt: 3000)
    discarded.cancel(at: 120)
    let record = try simulate(discarded)
    #expect(record.conclusion == "cancelled")
    #expect(record.span("tables") == "0..100")
    #expect(record.end("index") == "cancelled")
    #expect(record.end("store") == "skipped: run-cancelled")
    #expect(record.gate.openedAt == nil)
    #expect(record.endedAt == 120_000_000)
  }

  @Test func `a launch has the same result if it is prewarmed again (P5)`() throws {
    let first = try simulate(prewarmed(activatedAt: 500))
    #expect(first.conclusion == "success")
    #expect(try first == simulate(prewarmed(activatedAt: 500)))
  }

  @Test func `a prewarmed launch completes steps that are running when it is activated (P3)`() throws {
    let record = try simulate(prewarmed(activatedAt: 120))
    #expect(record.span("index") == "-20..30")
    #expect(record.span("store") == "30..230")
  }
}
