/// The index of a step in its workflow's list of steps.
public typealias StepIndex = Int32

/// One step of a workflow.
///
/// What every step has is here; what few steps state is kept aside in ``options``, so that a workflow of 100,000
/// plain steps stays small.
public struct Step: Sendable {
  /// The key of the step.
  public var id: StepID
  /// The action, `plugin.action`.
  public var uses: String
  /// The action's inputs as written; strings may hold `${{ }}`.
  public var with: ValueObject
  /// The steps to start after, each once. A slice, so that the loader may keep all dependencies of a file in one array.
  public var needs: ArraySlice<StepIndex>

  private var box: Box?

  /// A step that states no options.
  public init(id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = []) {
    self.id = id
    self.uses = uses
    self.with = with
    self.needs = needs
  }

  /// A step with options.
  public init(
    id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = [], options: StepOptions
  ) {
    self.init(id: id, uses: uses, with: with, needs: needs)
    box = Box(options)
  }

  /// What the step states beyond action, inputs and needs.
  public var options: StepOptions {
    // Reading one of the options does not copy them all.
    _read { if let box { yield box.options } else { yield StepOptions.none } }
    set { box = Box(newValue) }
  }

  /// Whether the step states any options.
  public var hasOptions: Bool { box != nil }

  /// Which options the step states, as far as they are looked for in all steps.
  public var stated: StatedOptions { box?.stated ?? [] }

  /// Shared by value: a new box is made for every change.
  private final class Box: Sendable {
    let options: StepOptions
    let stated: StatedOptions

    init(_ options: StepOptions) {
      self.options = options
      stated = StatedOptions(options)
    }
  }
}

/// Which options a step states. Anyone who looks through all steps for one looks here first: to read an option the compiler
/// copies the step with all its options, which took a tenth of the start of a launch.
public struct StatedOptions: OptionSet, Sendable {
  /// One bit an option.
  public let rawValue: UInt16

  /// Options by their bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `enabled: false`.
  public static let disabled = StatedOptions(rawValue: 1 << 0)
  /// `defer`, in any form.
  public static let deferral = StatedOptions(rawValue: 1 << 1)
  /// It is in the `finally` of the whole: all that the launch waits for comes first.
  public static let waitsForAll = StatedOptions(rawValue: 1 << 2)
  /// `blocking: true`.
  public static let blocking = StatedOptions(rawValue: 1 << 3)
  /// `blocking: false`.
  public static let notBlocking = StatedOptions(rawValue: 1 << 4)
  /// Events to start after.
  public static let events = StatedOptions(rawValue: 1 << 5)
  /// `resources`.
  public static let request = StatedOptions(rawValue: 1 << 6)
  /// `estimate`.
  public static let estimate = StatedOptions(rawValue: 1 << 7)
  /// Items, or posts of an event.
  public static let fanOut = StatedOptions(rawValue: 1 << 8)
  /// `queue`.
  public static let queue = StatedOptions(rawValue: 1 << 9)
  /// Something that is prepared before a run: expressions, variables, files, items.
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

/// What a step may state beyond action, inputs and needs; every member at its default.
public struct StepOptions: Sendable, Hashable {
  /// What a person reads; nil: the id.
  public var name: String?
  /// Events to start after, each once.
  public var after: [String] = []
  /// The expression of `if`, without `${{ }}`; nil: `success()`.
  public var condition: String?
  /// Whether the step takes part at all.
  public var enabled: Switch = .literal(true)
  /// Whether and until when the step is deferred.
  public var deferral: Deferral = .never
  /// Whether the gate waits for the step; nil: yes, unless it is deferred.
  public var blocking: Bool?
  /// Whether its failure is not a failure of the run.
  public var isOptional = false
  /// Minimum and maximum of the step, counted from its first start.
  public var deadline: StepDeadline?
  /// How often and when it is tried again; nil: once.
  public var retry: RetryPolicy?
  /// `main`, a quality of service, or one of the workflow's queues; nil: `user-initiated`, `utility` if deferred.
  public var queue: String?
  /// Where it runs, as `--on` takes it, or `local`; nil: where `--on` says.
  public var executor: String?
  /// How long it is thought to take.
  public var estimate: Estimate?
  /// What it takes of the machine while it runs (`resources`); nil: nothing is counted.
  public var request: MachineResources?
  /// What the attempts after the first one take where that differs, in order; later attempts take what the last one does.
  public var laterRequests: [MachineResources] = []
  /// Whether it may run before activation.
  public var prewarm = false
  /// Whether the lines that its programs write are not shown.
  public var isQuiet = false
  /// Whether its commands are asked for colors where their lines are shown in color.
  public var allowsColor = true
  /// Bytes of what it and its items print that are recorded; nil: a share of the workflow's.
  public var logLimitBytes: Int?
  /// What happens to the step where an attempt of it was interrupted with its process.
  public var onInterrupt = InterruptPolicy.rerun
  /// Whether it is in `finally`: it starts when all other steps have finished, whatever their outcome, and its `if` alone
  /// decides.
  public var isFinal = false
  /// Whether that is the `finally` of an included file: it waits for the steps of that file alone, and not for the gate.
  public var isFinalInside = false
  /// Environment variables on top of the workflow's; values may hold `${{ }}`.
  public var environment: ValueObject = [:]
  /// The files that it reads, as paths and patterns: where they and all else are as when it last succeeded, it is not
  /// run again.
  public var inputsFrom: [FileRule] = []
  /// The files that it makes, likewise: they must be as it left them.
  public var produces: [FileRule] = []
  /// What it is run for, once for each item; nil: it runs once.
  public var fanOut: FanOut?
  /// Whether its failure is none of the gate's and of the run's, though it is its dependents': it is in a workflow
  /// that an optional step includes.
  public var isExcused = false
  /// What it is for where a workflow is included.
  public var includeRole = IncludeRole.none

  /// What an attempt takes of the machine; nil: nothing is counted.
  public func request(ofAttempt attempt: Int) -> MachineResources? {
    attempt <= 1 || laterRequests.isEmpty ? request : laterRequests[min(attempt - 2, laterRequests.count - 1)]
  }

  /// What the attempts of `retry` take of the machine, each request once, with the first attempt that takes it.
  public var requests: [(attempt: Int, request: MachineResources)] {
    guard let request else { return [] }
    let planned = laterRequests.prefix(max(0, (retry?.attempts ?? 1) - 1))
    return Self.once(request, planned)
  }

  /// What any attempts take of the machine, those included that follow attempts which were lost with their machine.
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

  /// The events that it waits for, or for whose posts it runs.
  public var events: [String] { after + (fanOut?.event.map { [$0] } ?? []) }

  /// Every member at its default.
  public init() {}

  /// Every member at its default.
  public static let none = StepOptions()
}

/// What a resume does with a step of a durable run whose try was interrupted.
public enum InterruptPolicy: String, Sendable, Hashable, CaseIterable {
  /// It runs again.
  case rerun
  /// It has failed, and runs again only when someone names it.
  case fail
}

/// True, false, or an expression that says which at activation.
public enum Switch: Sendable, Hashable {
  case literal(Bool)
  /// The expression without `${{ }}`.
  case expression(String)
}

/// Whether and until when a step is deferred.
public enum Deferral: Sendable, Hashable {
  case never
  /// Until the gate has opened.
  case afterGate
  /// Until the gate has opened and no step but idle ones and services is queued or running.
  case idle
  /// An expression without `${{ }}` that says at activation whether the step is deferred.
  case expression(String)
}

/// Minimum and maximum of a step.
public struct StepDeadline: Sendable, Hashable {
  /// Success is reported not before this; nil: no minimum.
  public var min: Duration?
  /// At this instant the step has timed out; nil: no maximum.
  public var max: Duration?

  /// A minimum and a maximum.
  public init(min: Duration? = nil, max: Duration? = nil) {
    self.min = min
    self.max = max
  }
}

/// How often and when a failed step is tried again.
public struct RetryPolicy: Sendable, Hashable {
  /// Attempts in all, the first included: 1…100.
  public var attempts: Int
  /// The pause before the second attempt.
  public var delay: Duration
  /// What the pause is multiplied by after each further attempt; at least 1.
  public var backoff: Double
  /// The longest pause.
  public var maxDelay: Duration
  /// Whether the pause is drawn from zero to its length.
  public var jitter: Jitter
  /// The maximum of one attempt; nil: none.
  public var attemptDeadline: Duration?
  /// The reasons for which it is tried again; nil: all that the action lets be tried again.
  public var reasons: RetryReasons?

  /// How the pause varies.
  public enum Jitter: String, Sendable, Hashable, CaseIterable {
    case none
    /// Uniform between zero and the pause.
    case full
  }

  /// A policy with the format's defaults.
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

/// How long a step is thought to take.
public struct Estimate: Sendable, Hashable {
  /// At best.
  public var low: Duration
  /// At worst; the feasibility check and the order of ready steps use it.
  public var high: Duration

  /// An estimate from `low` to `high`.
  public init(low: Duration, high: Duration) {
    self.low = low
    self.high = high
  }
}
