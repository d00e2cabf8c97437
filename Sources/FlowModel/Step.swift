/// The index of a step in its workflow's list of steps.
public typealias StepIndex = Int32

/// One step of a workflow.
///
/// A step is one reference to immutable contents, because checks and runs go through all steps some 30 times and the
/// compiler copies each one. Options that few steps have are stored separately in ``options``, so that a workflow with
/// 100,000 plain steps needs little memory.
package struct Step: Sendable {
  @usableFromInline var contents: Contents

  /// Creates a step without options.
  package init(id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = []) {
    contents = Contents(id, uses, with, needs, nil)
  }

  /// Creates a step with options.
  package init(
    id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = [], options: StepOptions
  ) {
    contents = Contents(id, uses, with, needs, Box(options))
  }

  /// The id of the step, which is its key in the file.
  @inlinable package var id: StepID {
    get { contents.id }
    set { contents = Contents(newValue, contents.uses, contents.with, contents.needs, contents.box) }
  }

  /// The name of the action, `plugin.action`, or an included file.
  @inlinable package var uses: String {
    get { contents.uses }
    set { contents = Contents(contents.id, newValue, contents.with, contents.needs, contents.box) }
  }

  /// The inputs as written. Strings may contain `${{ }}`.
  @inlinable package var with: ValueObject {
    get { contents.with }
    set { contents = Contents(contents.id, contents.uses, newValue, contents.needs, contents.box) }
  }

  /// The dependencies, without duplicates. A slice, so that the loader can store all dependencies of a file in one
  /// array.
  @inlinable package var needs: ArraySlice<StepIndex> {
    get { contents.needs }
    set { contents = Contents(contents.id, contents.uses, contents.with, newValue, contents.box) }
  }

  /// The options of the step: everything except its id, action, inputs and dependencies.
  package var options: StepOptions {
    // Yield the options instead of returning a copy.
    _read { if let box = contents.box { yield box.options } else { yield StepOptions.none } }
    set { contents = Contents(contents.id, contents.uses, contents.with, contents.needs, Box(newValue)) }
  }

  /// True if the step has any options.
  @inlinable package var hasOptions: Bool { contents.box != nil }

  /// The options that searches over all steps look for.
  @inlinable package var stated: StatedOptions { contents.box?.stated ?? [] }

  /// Every change creates new contents.
  @usableFromInline final class Contents: Sendable {
    @usableFromInline let id: StepID
    @usableFromInline let uses: String
    @usableFromInline let with: ValueObject
    @usableFromInline let needs: ArraySlice<StepIndex>
    @usableFromInline let box: Box?

    @usableFromInline init(
      _ id: StepID, _ uses: String, _ with: ValueObject, _ needs: ArraySlice<StepIndex>, _ box: Box?
    ) {
      (self.id, self.uses, self.with, self.needs, self.box) = (id, uses, with, needs, box)
    }
  }

  /// Immutable. Every change creates a new box.
  @usableFromInline final class Box: Sendable {
    let options: StepOptions
    @usableFromInline let stated: StatedOptions

    init(_ options: StepOptions) {
      self.options = options
      stated = StatedOptions(options)
    }
  }
}

/// The options that a step has, for searches over all steps. Reading the options themselves makes the compiler copy the
/// step and its options, which took 10 % of the start of a run.
package struct StatedOptions: OptionSet, Sendable {
  /// One bit for each option.
  package let rawValue: UInt16

  /// Creates a set from its bits.
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `enabled: false`.
  package static let disabled = StatedOptions(rawValue: 1 << 0)
  /// `defer`, with any value.
  package static let deferral = StatedOptions(rawValue: 1 << 1)
  /// The step is in the workflow's own `finally`, so it waits for all other steps.
  package static let waitsForAll = StatedOptions(rawValue: 1 << 2)
  /// `blocking: true`.
  package static let blocking = StatedOptions(rawValue: 1 << 3)
  /// `blocking: false`.
  package static let notBlocking = StatedOptions(rawValue: 1 << 4)
  /// `after`.
  package static let events = StatedOptions(rawValue: 1 << 5)
  /// `resources`.
  package static let request = StatedOptions(rawValue: 1 << 6)
  /// `estimate`.
  package static let estimate = StatedOptions(rawValue: 1 << 7)
  /// `foreach`.
  package static let fanOut = StatedOptions(rawValue: 1 << 8)
  /// `queue`.
  package static let queue = StatedOptions(rawValue: 1 << 9)
  /// Expressions, variables, files or items, which are parsed before a run.
  package static let preparation = StatedOptions(rawValue: 1 << 10)

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

/// The options of a step. Properties have the defaults of the format.
package struct StepOptions: Sendable, Hashable {
  /// The name that users see, or nil to use the id.
  package var name: String?
  /// The events that the step waits for, without duplicates.
  package var after: [String] = []
  /// The expression in `if`, without `${{ }}`, or nil for `success()`.
  package var condition: String?
  /// Whether the step is enabled. A disabled step is skipped.
  package var enabled: Switch = .literal(true)
  /// Whether the step starts only after the gate has opened.
  package var deferral: Deferral = .never
  /// True if the gate waits for the step. If nil, it waits unless the step is deferred.
  package var blocking: Bool?
  /// True if a failure of the step does not fail the run.
  package var isOptional = false
  /// The minimum and maximum duration, counted from the first start.
  package var deadline: StepDeadline?
  /// The rules for further attempts, or nil if there is only one.
  package var retry: RetryPolicy?
  /// The queue: `main`, a quality of service, or a queue that the workflow declares. If nil, it is `user-initiated`, or
  /// `utility` for a deferred step.
  package var queue: String?
  /// The executor in the form of `--on`, or `local`. If nil, the executor of the workflow or of `--on` is used.
  package var executor: String?
  /// The expected duration.
  package var estimate: Estimate?
  /// The resources that the step requests (`resources`), or nil if it requests none.
  package var request: MachineResources?
  /// The resources that the second and later attempts request, in order, if they differ. The last one applies to all
  /// further attempts.
  package var laterRequests: [MachineResources] = []
  /// True if the step may run before activation.
  package var prewarm = false
  /// True if the output of the step's programs is not shown.
  package var isQuiet = false
  /// True if commands should print colors when their output is shown.
  package var allowsColor = true
  /// The number of bytes of output that are recorded of the step and its items, or nil for a share of the workflow's
  /// limit.
  package var logLimitBytes: Int?
  /// The handling of an attempt that was interrupted with the process of a durable run.
  package var onInterrupt = InterruptPolicy.rerun
  /// True if the step belongs to `finally`: it starts when all other steps have finished, whatever their outcome, if
  /// its `if` is true.
  package var isFinal = false
  /// True if that is the `finally` of an included file, which waits only for the steps of that file, not for the gate.
  package var isFinalInside = false
  /// Environment variables, which override those of the workflow. Values may contain `${{ }}`.
  package var environment: ValueObject = [:]
  /// The paths and patterns of files that the step reads. The step is skipped if they and everything else are unchanged
  /// since it last succeeded.
  package var inputsFrom: [FileRule] = []
  /// The paths and patterns of files that the step produces. If one has changed, the step runs again.
  package var produces: [FileRule] = []
  /// The items of the step, or nil if it runs once.
  package var fanOut: FanOut?
  /// True if a failure of the step affects its dependents, but neither the gate nor the run, because an optional step
  /// includes its file.
  package var isExcused = false
  /// The role of the step in an included workflow.
  package var includeRole = IncludeRole.none

  /// Returns the resources that an attempt requests, or nil if the step requests none.
  package func request(ofAttempt attempt: Int) -> MachineResources? {
    attempt <= 1 || laterRequests.isEmpty ? request : laterRequests[min(attempt - 2, laterRequests.count - 1)]
  }

  /// The different requests of the attempts that `retry` allows, each with the first attempt that has it.
  package var requests: [(attempt: Int, request: MachineResources)] {
    guard let request else { return [] }
    let planned = laterRequests.prefix(max(0, (retry?.attempts ?? 1) - 1))
    return Self.once(request, planned)
  }

  /// The different requests of all attempts, including those after an attempt was lost with its machine.
  package var requestsOfAll: [(attempt: Int, request: MachineResources)] {
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

  /// The events that the step waits for, or whose posts are its items.
  package var events: [String] { after + (fanOut?.event.map { [$0] } ?? []) }

  /// Creates default options.
  package init() {}

  /// The default options.
  package static let none = StepOptions()
}

/// The handling of a step whose attempt was interrupted with the process of a durable run.
package enum InterruptPolicy: String, Sendable, Hashable, CaseIterable {
  /// The step runs again.
  case rerun
  /// The step fails, and runs again only if the user names it.
  case fail
}

/// A Boolean, or an expression that is evaluated at activation.
package enum Switch: Sendable, Hashable {
  case literal(Bool)
  /// The expression without `${{ }}`.
  case expression(String)
}

/// The time until which a step is deferred.
package enum Deferral: Sendable, Hashable {
  case never
  /// Until the gate has opened.
  case afterGate
  /// Until the gate has opened and the run is idle, which means that no steps other than idle ones are queued or
  /// running.
  case idle
  /// Until the gate has opened, if this expression (without `${{ }}`) is true at activation.
  case expression(String)
}

/// The minimum and maximum duration of a step, from its first start.
package struct StepDeadline: Sendable, Hashable {
  /// The time before which the step does not count as finished, or nil.
  package var min: Duration?
  /// The time after which the step times out, or nil.
  public var max: Duration?

  /// Creates a deadline.
  package init(min: Duration? = nil, max: Duration? = nil) {
    self.min = min
    self.max = max
  }
}

/// The rules for further attempts of a failed step (`retry`).
package struct RetryPolicy: Sendable, Hashable {
  /// The maximum number of attempts including the first, from 1 to 100.
  package var attempts: Int
  /// The pause before the second attempt.
  package var delay: Duration
  /// The factor by which the pause grows after each further attempt, at least 1.
  package var backoff: Double
  /// The maximum pause.
  package var maxDelay: Duration
  /// The random variation of the pause.
  package var jitter: Jitter
  /// The maximum duration of an attempt, or nil.
  package var attemptDeadline: Duration?
  /// The reasons for another attempt. If nil, any failure that the action marks as retryable is a reason.
  package var reasons: RetryReasons?

  /// The random variation of the pause.
  package enum Jitter: String, Sendable, Hashable, CaseIterable {
    case none
    /// The pause is a random time between zero and its full length.
    case full
  }

  /// Creates a policy with the defaults of the format.
  package init(
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
package struct Estimate: Sendable, Hashable {
  /// The duration in the best case.
  package var low: Duration
  /// The duration in the worst case, which the feasibility check and the order of ready steps use.
  package var high: Duration

  /// Creates an estimate.
  package init(low: Duration, high: Duration) {
    self.low = low
    self.high = high
  }
}
