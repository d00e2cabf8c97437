import FlowModel
import FlowTestKit

/// Random workflows, and random events around them, both determined by a seed. They cover every key of steps and every
/// rule of the gate.
///
/// Times are multiples of a coarse unit, so that many events happen at the same time.
struct RandomScenario {
  private var random: SeededGenerator
  private let events = ["alpha", "beta", "gamma", "delta"]
  private var isPrewarmed = false
  /// For each step, true if it may be deferred through its dependencies, so that `blocking: true` would be an error.
  private var mayBeDeferred: [Bool] = []
  private var prewarms: [Bool] = []

  /// Returns the scenario for a seed. Its run may never end.
  static func scenario(seed: UInt64) -> Scenario {
    var maker = RandomScenario(random: SeededGenerator(seed: seed))
    var scenario = maker.make()
    // Drawn from a separate generator, so that the other parts of a scenario do not change.
    maker.random = SeededGenerator(seed: seed ^ 0xFA17)
    maker.addItems(to: &scenario)
    maker.random = SeededGenerator(seed: seed ^ 0xF1A1)
    maker.addFinalSteps(to: &scenario)
    maker.random = SeededGenerator(seed: seed ^ 0x9057)
    maker.addFollowers(to: &scenario)
    maker.random = SeededGenerator(seed: seed ^ 0x5A4E)
    maker.addRequests(to: &scenario)
    scenario.workflow.name = "seed-\(seed)"
    return scenario
  }

  private init(random: SeededGenerator) { self.random = random }

  private mutating func make() -> Scenario {
    let count = random.chance(80) ? Int.random(in: 1...7, using: &random) : Int.random(in: 8...30, using: &random)
    isPrewarmed = random.chance(15)
    var workflow = Workflow(name: "random", steps: [])
    workflow.gate = gate()
    workflow.events = events.map { EventDeclaration($0, repeats: random.chance(30)) }
    if random.chance(20) { workflow.concurrency = Int.random(in: 1...3, using: &random) }
    workflow.queues = [
      QueueDeclaration(name: "database", qualityOfService: .utility, width: random.pick([1, 1, 2, nil]))
    ]
    var scripts: [StepScript] = []
    for index in 0..<count {
      let step = step(index, density: count < 8 ? 30 : 12)
      scripts.append(script(of: step))
      workflow.steps.append(step)
    }
    for index in workflow.steps.indices where scripts[index].isService { workflow.steps[index].uses = "script.service" }
    var scenario = Scenario(workflow, scripts: scripts)
    scenario.inputs = ["yes": .boolean(true), "no": .boolean(false)]
    scenario.launch = Launch(reason: random.pick([.user, .background]), isFirst: random.chance(50))
    for _ in 0..<(random.chance(50) ? 0 : Int.random(in: 1...3, using: &random)) {
      scenario.outsideEvents.append(OutsideEvent(random.pick(events), at: moment()))
    }
    if isPrewarmed { scenario.activatedAt = moment() }
    if random.chance(20) { scenario.cancelledAt = moment() }
    if random.chance(10) { scenario.outsideSource = .open(until: moment()) }
    return scenario
  }

  // MARK: - Items

  /// Makes some steps of about half of the scenarios run for items.
  private mutating func addItems(to scenario: inout Scenario) {
    guard random.chance(50) else { return }
    for index in scenario.workflow.steps.indices where !scenario.scripts[index].isService && random.chance(40) {
      var fanOut = FanOut(.items([]))
      if random.chance(60) { fanOut.parallel = Int.random(in: 1...3, using: &random) }
      fanOut.isFailFast = random.chance(50)
      if random.chance(20) { fanOut.deadline = milliseconds([10, 20, 50, 100, 1000]) }
      scenario.workflow.steps[index].options.fanOut = fanOut
      let count = random.chance(90) ? Int.random(in: 0...4, using: &random) : Int.random(in: 5...12, using: &random)
      let hasRetry = scenario.workflow.steps[index].options.retry != nil
      scenario.scripts[index].items = (0..<count).map { _ in
        var item = StepScript((0..<(hasRetry ? 3 : 1)).map { _ in behavior(isService: false) })
        item.isLeftOut = random.chance(8)
        return item
      }
    }
  }

  /// Makes some steps of some scenarios run for the posts of an event. Their bodies post nothing, because the run might
  /// otherwise never end.
  private mutating func addFollowers(to scenario: inout Scenario) {
    guard random.chance(25) else { return }
    for index in scenario.workflow.steps.indices
    where scenario.workflow.steps[index].options.fanOut == nil && !scenario.scripts[index].isService
      && random.chance(30)
    {
      let event = random.pick(events)
      scenario.workflow.events = scenario.workflow.events.map {
        EventDeclaration($0.name, repeats: $0.repeats || $0.name == event)
      }
      var fanOut = FanOut(.posts(of: event))
      if random.chance(60) { fanOut.parallel = Int.random(in: 1...3, using: &random) }
      fanOut.isFailFast = random.chance(50)
      if random.chance(15) { fanOut.deadline = milliseconds([10, 20, 50, 100, 1000]) }
      scenario.workflow.steps[index].options.fanOut = fanOut
      let hasRetry = scenario.workflow.steps[index].options.retry != nil
      scenario.scripts[index] = StepScript([.succeeds(after: .zero)])
      scenario.scripts[index].items = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        var attempts = (0..<(hasRetry ? 3 : 1)).map { _ in behavior(isService: false) }
        for attempt in attempts.indices { attempts[attempt].posts = [] }
        var item = StepScript(attempts)
        item.isLeftOut = random.chance(8)
        return item
      }
    }
  }

  // MARK: - The machine

  /// Makes steps of some scenarios request parts of a small machine.
  private mutating func addRequests(to scenario: inout Scenario) {
    guard random.chance(40) else { return }
    scenario.capacity = MachineResources(cpus: random.pick([2, 4]), memoryBytes: random.pick([4, 8]), gpus: 1)
    let likelihood = random.pick([30, 90])
    for index in scenario.workflow.steps.indices
    where random.chance(likelihood) && !scenario.scripts[index].isService
      && scenario.workflow.steps[index].options.queue != "main"
    {
      scenario.workflow.steps[index].options.request = MachineResources(
        cpus: random.chance(70) ? 1 : Int.random(in: 1...scenario.capacity.cpus, using: &random),
        memoryBytes: random.chance(60) ? 0 : Int.random(in: 1...scenario.capacity.memoryBytes, using: &random),
        gpus: random.chance(80) ? 0 : 1)
    }
  }

  // MARK: - Finally

  /// Adds steps of `finally` to some scenarios. As in a parsed file, they depend on each other, or on every step that
  /// has no dependents.
  private mutating func addFinalSteps(to scenario: inout Scenario) {
    guard random.chance(30) else { return }
    let ordinary = scenario.workflow.steps
    let needed = Set(ordinary.flatMap(\.needs))
    let ends = ordinary.indices.map { StepIndex($0) }.filter { !needed.contains($0) }
    for number in 0..<Int.random(in: 1...3, using: &random) {
      var options = StepOptions()
      options.isFinal = true
      if random.chance(50) {
        options.condition = random.pick([
          "failure()", "success()", "cancelled()", "always()", "!cancelled()", "success() || failure()", "inputs.yes",
          "inputs.no", "failure() && inputs.yes",
        ])
      }
      options.isOptional = random.chance(20)
      if random.chance(30) { options.deadline = deadline() }
      if random.chance(30) { options.retry = retry() }
      if random.chance(30) { options.queue = random.pick(["main", "database", "background"]) }
      if random.chance(8) { options.enabled = .literal(false) }
      let isBehind = number > 0 && random.chance(50)
      let needs = isBehind ? [StepIndex(scenario.workflow.steps.count - 1)] : ends
      scenario.workflow.steps.append(
        Step(id: StepID(unchecked: "f\(number)"), uses: "script.step", needs: needs[...], options: options))
      scenario.scripts.append(
        StepScript((0..<(options.retry == nil ? 1 : 3)).map { _ in behavior(isService: false) }))
    }
  }

  // MARK: - Times

  private mutating func milliseconds(_ choices: [Int]) -> Duration { .milliseconds(random.pick(choices)) }

  /// Returns a duration for a body or pause. Most are short and often equal, and some are longer than the grace.
  private mutating func length() -> Duration {
    random.chance(90)
      ? milliseconds([0, 10, 10, 20, 20, 30, 50, 100, 200]) : milliseconds([500, 900, 1000, 1500, 4000])
  }

  /// Returns a time for an event from outside the run.
  private mutating func moment() -> Duration {
    random.chance(80) ? milliseconds([0, 10, 20, 30, 50, 60, 100, 110, 200, 300]) : milliseconds([1000, 2000, 7000])
  }

  // MARK: - The workflow

  private mutating func gate() -> GateDeadline? {
    let minimum = milliseconds([0, 10, 50, 100, 300])
    let maximum = milliseconds([10, 50, 100, 300, 1000])
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2: return nil
    case 3, 4: return GateDeadline(min: .literal(minimum))
    case 5, 6: return GateDeadline(max: .literal(maximum))
    case 7:
      return GateDeadline(
        min: .expression("${{ launch.reason == 'user' && '\(DurationText.format(min(minimum, maximum)))' || '0s' }}"),
        max: .literal(maximum))
    default: return GateDeadline(min: .literal(min(minimum, maximum)), max: .literal(maximum))
    }
  }

  private mutating func step(_ index: Int, density: Int) -> Step {
    var needs = (0..<index).filter { _ in random.chance(density) }.map { StepIndex($0) }
    if isPrewarmed && index < 6 && random.chance(50) { needs = needs.filter { prewarms[Int($0)] } }
    let canPrewarm = isPrewarmed && needs.allSatisfy { prewarms[Int($0)] }
    var options = StepOptions()
    options.prewarm = canPrewarm && random.chance(70)
    if random.chance(12) { options.after = [random.pick(events)] }
    if random.chance(3) { options.after = Array(Set(options.after + [random.pick(events), "activate"])).sorted() }
    if random.chance(20) { options.condition = condition(isPrewarm: options.prewarm) }
    if random.chance(4) { options.enabled = .literal(false) }
    if random.chance(3) { options.enabled = .expression(random.pick(["inputs.yes", "inputs.no"])) }
    options.deferral = deferral()
    mayBeDeferred.append(options.deferral != .never || needs.contains { mayBeDeferred[Int($0)] })
    if random.chance(25) { options.blocking = false }
    if random.chance(10) && !mayBeDeferred[index] { options.blocking = true }
    options.isOptional = random.chance(15)
    if random.chance(20) { options.deadline = deadline() }
    if random.chance(20) { options.retry = retry() }
    if random.chance(30) { options.queue = random.pick(["main", "main", "database", "database", "background"]) }
    if random.chance(40) {
      let high = milliseconds([0, 10, 50, 100])
      options.estimate = Estimate(low: .zero, high: high)
    }
    prewarms.append(options.prewarm)
    return Step(id: StepID(unchecked: "s\(index)"), uses: "script.step", needs: needs[...], options: options)
  }

  private mutating func condition(isPrewarm: Bool) -> String {
    let always = ["success()", "failure()", "always()", "always()", "cancelled()", "!cancelled()", "!failure()"]
    let negated = ["!success()", "success() == false", "success() || true"]
    let mixed = [
      "success() || failure()", "failure() || cancelled()", "always() && inputs.no", "failure() && inputs.yes",
      "failure() && inputs.no", "always() && inputs.yes", "inputs.yes", "inputs.no", "true", "false",
      "!(success() && inputs.yes)", "inputs.no || cancelled()",
    ]
    let atLaunch = ["launch.first", "launch.reason == 'background'", "always() && launch.first"]
    return random.pick(always + negated + mixed + (isPrewarm ? [] : atLaunch))
  }

  private mutating func deferral() -> Deferral {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: .afterGate
    case 10..<16: .idle
    case 16..<18: .expression(random.pick(["launch.first", "inputs.no", "inputs.yes"]))
    default: .never
    }
  }

  private mutating func deadline() -> StepDeadline {
    let minimum = milliseconds([0, 10, 20, 50, 200])
    let maximum = milliseconds([10, 20, 50, 100, 200])
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return StepDeadline(min: minimum)
    case 1: return StepDeadline(min: min(minimum, maximum), max: maximum)
    default: return StepDeadline(max: maximum)
    }
  }

  private mutating func retry() -> RetryPolicy {
    RetryPolicy(
      attempts: Int.random(in: 1...4, using: &random), delay: milliseconds([0, 10, 20, 50]),
      backoff: random.pick([1, 1, 2, 1.5]), maxDelay: milliseconds([20, 100, 30_000]),
      jitter: random.chance(30) ? .full : .none,
      attemptDeadline: random.chance(30) ? milliseconds([10, 20, 50]) : nil)
  }

  // MARK: - The scripts of steps

  private mutating func script(of step: Step) -> StepScript {
    let isService = random.chance(8)
    let attempts = (0..<(step.options.retry == nil ? 1 : Int.random(in: 1...4, using: &random))).map { _ in
      behavior(isService: isService)
    }
    let declared = random.chance(20) ? [random.pick(events)] : []
    let draws = (0..<3).map { _ in Double(Int.random(in: 0..<16, using: &random)) / 16 }
    var script = StepScript(attempts, isService: isService, declaring: declared, draws: draws)
    if isService { script.isCommandService = random.chance(50) }
    return script
  }

  private mutating func behavior(isService: Bool) -> StepBehavior {
    var behavior = StepBehavior(duration: length())
    if random.chance(18) { behavior.ending = .failure(retryable: random.chance(80)) }
    if behavior.ending != .success, random.chance(10) { behavior.retryAfter = length() }
    if random.chance(4) { behavior.duration = nil }
    if random.chance(20) {
      behavior.respondsToCancellationAfter = random.pick([nil, length(), .seconds(1), .milliseconds(1500)])
    }
    if isService {
      if random.chance(70) { behavior.duration = nil }
      if random.chance(90) { behavior.readyAfter = length() }
    }
    if random.chance(15) {
      let after = length()
      behavior.posts = [ScriptedPost(after: behavior.duration.map { min($0, after) } ?? after, random.pick(events))]
    }
    return behavior
  }
}
