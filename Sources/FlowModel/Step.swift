/// The index of a step in its workflow's list of steps.
public typealias StepIndex = Int32

/// One step of a workflow.
///
/// Options that few steps use are stored separately in ``options``, so that a workflow of 100,000 plain steps stays
/// small.
public struct Step: Sendable {
  /// The id of the step, its key in the file.
  public var id: StepID
  /// The action, `plugin.action`.
  public var uses: String
  /// The inputs as written; strings may contain `${{ }}`.
  public var with: ValueObject
  /// The dependencies, without duplicates. As a slice, so that the loader can keep all dependencies of a file in one
  /// array.
  public var needs: ArraySlice<StepIndex>

  private var box: Box?

  /// Creates a step without options.
  public init(id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = []) {
    self.id = id
    self.uses = uses
    self.with = with
    self.needs = needs
  }

  /// Creates a step with options.
  public init(
    id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = [], options: StepOptions
  ) {
    self.init(id: id, uses: uses, with: with, needs: needs)
    box = Box(options)
  }

  /// The options of the step, apart from its action, inputs and dependencies.
  public var options: StepOptions {
    // Yields the options, because returning them would copy them all.
    _read { if let box { yield box.options } else { yield StepOptions.none } }
    set { box = Box(newValue) }
  }

  /// True if the step has any options.
  public var hasOptions: Bool { box != nil }

  /// The options of the step that are searched for in all steps.
  public var stated: StatedOptions { box?.stated ?? [] }

  /// Immutable; every change creates a new box.
  private final class Box: Sendable {
    let options: StepOptions
    let stated: StatedOptions

    init(_ options: StepOptions) {
      self.options = options
      stated = StatedOptions(options)
    }
  }
}

/// The options that a step has, for searches over all steps. Reading an option itself makes the compiler copy the step
/// with all its options, which took 10 % of the start of a run.
public struct StatedOptions: OptionSet, Sendable {
  /// The options, one bit each.
  public let rawValue: UInt16

  /// Creates a set from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `enabled: false`.
  public static let disabled = StatedOptions(rawValue: 1 << 0)
  /// `defer`, in any form.
  public static let deferral = StatedOptions(rawValue: 1 << 1)
  /// The step is in the `finally` of the workflow itself, so everything that the launch waits for comes first.
  public static let waitsForAll = StatedOptions(rawValue: 1 << 2)
  /// `blocking: true`.
  public static let blocking = StatedOptions(rawValue: 1 << 3)
  /// `blocking: false`.
  public static let notBlocking = StatedOptions(rawValue: 1 << 4)
  /// `after`.
  public static let events = StatedOptions(rawValue: 1 << 5)
  /// `resources`.
  public static let request = StatedOptions(rawValue: 1 << 6)
  /// `estimate`.
  public static let estimate = StatedOptions(rawValue: 1 << 7)
  /// `foreach`.
  public static let fanOut = StatedOptions(rawValue: 1 << 8)
  /// `queue`.
  public static let queue = StatedOptions(rawValue: 1 << 9)
  /// Expressions, variables, files or items, which are prepared before a run.
  public static let preparation = StatedOptions(rawValue: 1 << 10)

  fileprivate init(_ options: StepOptions) {
    var stated: StatedOptions = []
    if options.isDisabled { stated.insert(.disabled) }
    if options.deferral != .never { stated.insert(.deferral) }
    if options.isFinal && !options.isFinalInside { stated.insert(.waitsForAll) }
    if let blocking = options.blocking { stated.insert(blocking ? .blocking : .notBlocking) }
    if !options.after.isEmpty { stated.insert(.events) }
    if options.request != nil { stated.insert(.request) }
    if options.estimate != nil { stated.insert(.estimate) }
    if options.queue != nil { stated.insert(.queue) }
    if options.fanOut != nil { stated.formUnion([.fanOut, .preparation]) }
    if !options.isFixedBeforeActivation || options.condition != nil || !options.environment.isEmpty
      || !options.inputsFrom.isEmpty || !options.produces.isEmpty
    {
      stated.insert(.preparation)
    }
    self = stated
  }
}

/// The options of a step, with their defaults.
public struct StepOptions: Sendable, Hashable {
  /// The name for people, or nil to use the id.
  public var name: String?
  /// The events to start after, without duplicates.
  public var after: [String] = []
  /// The expression of `if` without `${{ }}`; nil means `success()`.
  public var condition: String?
  /// False if the step is disabled.
  public var enabled: Switch = .literal(true)
  /// The deferral of the step.
  public var deferral: Deferral = .never
  /// True if the gate waits for the step. Nil means true, unless the step is deferred.
  public var blocking: Bool?
  /// True if the run does not fail when the step fails.
  public var isOptional = false
  /// The minimum and maximum duration, counted from the first start.
  public var deadline: StepDeadline?
  /// The rules for further attempts, or nil for a single attempt.
  public var retry: RetryPolicy?
  /// `main`, a quality of service, or a queue of the workflow. Nil means `user-initiated`, or `utility` if deferred.
  public var queue: String?
  /// The executor as written for `--on`, or `local`; nil means the executor of `--on`.
  public var executor: String?
  /// The expected duration.
  public var estimate: Estimate?
  /// The requested `resources`, or nil to occupy none.
  public var request: MachineResources?
  /// The requests of the second and later attempts in order, if they differ; the last one also applies to all further
  /// attempts.
  public var laterRequests: [MachineResources] = []
  /// True if the step may run before activation.
  public var prewarm = false
  /// True if the output lines of its programs are not shown.
  public var isQuiet = false
  /// True if its commands are asked to print colors when their output is shown in color.
  public var allowsColor = true
  /// The recorded bytes of output of the step and its items, or nil for a share of the workflow's limit.
  public var logLimitBytes: Int?
  /// The behavior on resume if the process ended during an attempt.
  public var onInterrupt = InterruptPolicy.rerun
  /// True if the step is in `finally`: it starts when all other steps have finished, whatever their outcome, subject
  /// only to its `if`.
  public var isFinal = false
  /// True if that is the `finally` of an included file, which waits only for the steps of that file and not for the
  /// gate.
  public var isFinalInside = false
  /// Environment variables that override the workflow's; values may contain `${{ }}`.
  public var environment: ValueObject = [:]
  /// The files that it reads, as paths and patterns. If they and everything else are unchanged since its last success,
  /// it is not run again.
  public var inputsFrom: [FileRule] = []
  /// The files that it produces, as paths and patterns; if they have changed since, it is run again.
  public var produces: [FileRule] = []
  /// The items that it runs for, or nil to run once.
  public var fanOut: FanOut?
  /// True if its failure counts for its dependents but not for the gate and the run, because it is part of a workflow
  /// included by an optional step.
  public var isExcused = false
  /// Its role in an included workflow.
  public var includeRole = IncludeRole.none

  /// Returns the request of an attempt, or nil if the step requests nothing.
  public func request(ofAttempt attempt: Int) -> MachineResources? {
    attempt <= 1 || laterRequests.isEmpty ? request : laterRequests[min(attempt - 2, laterRequests.count - 1)]
  }

  /// The different requests of the attempts in `retry`, each with its first attempt.
  public var requests: [(attempt: Int, request: MachineResources)] {
    guard let request else { return [] }
    let planned = laterRequests.prefix(max(0, (retry?.attempts ?? 1) - 1))
    return Self.once(request, planned)
  }

  /// The different requests of all attempts, including those that follow attempts lost with their machine.
  public var requestsOfAll: [(attempt: Int, request: MachineResources)] {
    request.map { Self.once($0, laterRequests[...]) } ?? []
  }

  private static func once(
    _ first: MachineResources, _ laterRequests: ArraySlice<MachineResources>
  ) -> [(attempt: Int, request: MachineResources)] {
    var all = [(attempt: 1, request: first)]
    for (index, later) in laterRequests.enumerated() where later != all[all.count - 1].request {
      all.append((index + 2, later))
    }
    return all
  }

  /// The events that it waits for or whose posts it runs for.
  public var events: [String] { after + (fanOut?.event.map { [$0] } ?? []) }

  /// Creates default options.
  public init() {}

  /// The default options.
  public static let none = StepOptions()
}

/// The behavior on resume of a step of a durable run whose attempt was interrupted.
public enum InterruptPolicy: String, Sendable, Hashable, CaseIterable {
  /// The step runs again.
  case rerun
  /// The step has failed and runs again only if the user names it.
  case fail
}

/// A Boolean, or an expression that is evaluated at activation.
public enum Switch: Sendable, Hashable {
  case literal(Bool)
  /// The expression without `${{ }}`.
  case expression(String)
}

/// The deferral of a step.
public enum Deferral: Sendable, Hashable {
  case never
  /// Until the gate has opened.
  case afterGate
  /// Until the gate has opened and only idle steps and services are queued or running.
  case idle
  /// An expression without `${{ }}` that decides at activation whether the step is deferred.
  case expression(String)
}

/// The minimum and maximum duration of a step.
public struct StepDeadline: Sendable, Hashable {
  /// The time before which success is not reported, or nil for no minimum.
  public var min: Duration?
  /// The time at which the step times out, or nil for no maximum.
  public var max: Duration?

  /// Creates a deadline from a minimum and a maximum.
  public init(min: Duration? = nil, max: Duration? = nil) {
    self.min = min
    self.max = max
  }
}

/// The rules for further attempts of a failed step.
public struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of attempts including the first: 1…100.
  public var attempts: Int
  /// The pause before the second attempt.
  public var delay: Duration
  /// The factor by which the pause grows after each further attempt; at least 1.
  public var backoff: Double
  /// The maximum pause.
  public var maxDelay: Duration
  /// The random variation of the pause.
  public var jitter: Jitter
  /// The maximum duration of one attempt, or nil for none.
  public var attemptDeadline: Duration?
  /// The reasons for another attempt, or nil for all failures that the action marks as retryable.
  public var reasons: RetryReasons?

  /// The random variation of the pause.
  public enum Jitter: String, Sendable, Hashable, CaseIterable {
    case none
    /// Uniformly distributed between zero and the pause.
    case full
  }

  /// Creates a policy with the defaults of the format.
  public init(
    attempts: Int, delay: Duration = .milliseconds(100), backoff: Double = 1, maxDelay: Duration = .seconds(30),
    jitter: Jitter = .none, attemptDeadline: Duration? = nil
  ) {
    self.attempts = attempts
    self.delay = delay
    self.backoff = backoff
    self.maxDelay = maxDelay
    self.jitter = jitter
    self.attemptDeadline = attemptDeadline
  }
}

/// The expected duration of a step.
public struct Estimate: Sendable, Hashable {
  /// The best case.
  public var low: Duration
  /// The worst case, used by the feasibility check and for the order of ready steps.
  public var high: Duration

  /// Creates an estimate from `low` to `high`.
  public init(low: Duration, high: Duration) {
    self.low = low
    self.high = high
  }
}
