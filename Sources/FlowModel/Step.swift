/// The index of a step in its workflow's list of steps.
public typealias StepIndex = Int32

/// One step of a workflow.
///
/// A step is a single reference to immutable contents: checks and runs iterate over all steps some 30 times, and the
/// compiler copies a step each time. Options are stored separately, because few steps have any. So a workflow with
/// 100,000 plain steps needs little memory.
@usableFromInline package struct Step: Sendable {
  @usableFromInline var contents: Contents

  package init(id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = []) {
    contents = Contents(id, uses, with, needs, .none)
  }

  package init(
    id: StepID, uses: String, with: ValueObject = [:], needs: ArraySlice<StepIndex> = [],
    options: consuming StepOptions
  ) {
    contents = Contents(id, uses, with, needs, Box(options))
  }

  /// The id of the step, which is the step's key in the file.
  @inlinable package var id: StepID {
    get { contents.id }
    set { contents = Contents(newValue, contents.uses, contents.with, contents.needs, contents.box) }
  }

  /// The name of the action, `plugin.action`, or the path of an included file.
  @inlinable package var uses: String {
    get { contents.uses }
    set { contents = Contents(contents.id, newValue, contents.with, contents.needs, contents.box) }
  }

  /// The inputs as written in the file. Strings may contain `${{ }}`.
  @inlinable package var with: ValueObject {
    get { contents.with }
    set { contents = Contents(contents.id, contents.uses, newValue, contents.needs, contents.box) }
  }

  /// The dependencies, without duplicates. They are a slice because the loader stores all dependencies of a file in one
  /// array.
  @inlinable package var needs: ArraySlice<StepIndex> {
    get { contents.needs }
    set { contents = Contents(contents.id, contents.uses, contents.with, newValue, contents.box) }
  }

  /// All properties of the step except its id, action, inputs and dependencies.
  @inlinable package var options: StepOptions {
    get { contents.box.options }
    set { contents = Contents(contents.id, contents.uses, contents.with, contents.needs, Box(newValue)) }
  }

  /// Returns the result of `body` for the options, which are read in place. ``options`` returns a copy of them.
  @inlinable package func withOptions<Result>(_ body: (borrowing StepOptions) -> Result) -> Result {
    body(contents.box.options)
  }

  /// True if the step has any options.
  package var hasOptions: Bool { contents.box !== Box.none }

  /// A bit set of the step's options, for searches over all steps.
  @inlinable package var stated: StatedOptions { contents.box.stated }

  /// Immutable. Every change to a step creates new contents.
  @usableFromInline final class Contents: Sendable {
    @usableFromInline let id: StepID
    @usableFromInline let uses: String
    @usableFromInline let with: ValueObject
    @usableFromInline let needs: ArraySlice<StepIndex>
    @usableFromInline let box: Box

    @usableFromInline init(
      _ id: StepID, _ uses: String, _ with: ValueObject, _ needs: ArraySlice<StepIndex>, _ box: Box
    ) {
      (self.id, self.uses, self.with, self.needs, self.box) = (id, uses, with, needs, box)
    }
  }

  /// Immutable. Every change to a step creates a new box. A step always has one, so that ``withOptions(_:)`` can read the
  /// options in place.
  @usableFromInline final class Box: Sendable {
    @usableFromInline let options: StepOptions
    @usableFromInline let stated: StatedOptions

    /// The box of all steps without options.
    static let none = Box(StepOptions())

    @usableFromInline init(_ options: consuming StepOptions) {
      stated = options.stated
      self.options = options
    }
  }
}

/// The options that a step has, for searches over all steps. A search that tests ``StepOptions`` with a closure copies
/// them, which is 14 % of the instructions of an embedded launch, or 6 % if the closure is inlined.
@usableFromInline package struct StatedOptions: OptionSet, Sendable {
  /// A bit mask with one bit for each option.
  @usableFromInline package let rawValue: UInt16

  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The step has `enabled: false`.
  package static let disabled = StatedOptions(rawValue: 1 << 0)
  /// The step has `defer`, with any value.
  package static let deferral = StatedOptions(rawValue: 1 << 1)
  /// The step is in the main workflow's `finally`, so it waits for all other steps.
  package static let waitsForAll = StatedOptions(rawValue: 1 << 2)
  /// The step has `blocking: true`.
  package static let blocking = StatedOptions(rawValue: 1 << 3)
  /// The step has `blocking: false`.
  package static let notBlocking = StatedOptions(rawValue: 1 << 4)
  /// The step has `after`.
  package static let events = StatedOptions(rawValue: 1 << 5)
  /// The step has `resources`.
  package static let request = StatedOptions(rawValue: 1 << 6)
  /// The step has `estimate`.
  package static let estimate = StatedOptions(rawValue: 1 << 7)
  /// The step has `foreach`.
  package static let fanOut = StatedOptions(rawValue: 1 << 8)
  /// The step has `queue`.
  package static let queue = StatedOptions(rawValue: 1 << 9)
  /// The step has expressions, variables, files or items that are parsed before the run.
  package static let preparation = StatedOptions(rawValue: 1 << 10)
}

extension StepOptions {
  /// The options as a bit set. A property, because an initializer would copy all options.
  fileprivate var stated: StatedOptions {
    var stated: StatedOptions = []
    if isDisabled { stated.insert(.disabled) }
    if deferral != .never { stated.insert(.deferral) }
    if isFinal && !isFinalInside { stated.insert(.waitsForAll) }
    if let blocking { stated.insert(blocking ? .blocking : .notBlocking) }
    if !after.isEmpty { stated.insert(.events) }
    // `!= nil` would copy the option.
    if case .some = request { stated.insert(.request) }
    if case .some = estimate { stated.insert(.estimate) }
    if case .some = queue { stated.insert(.queue) }
    if case .some = fanOut { stated.formUnion([.fanOut, .preparation]) }
    if !isFixedBeforeActivation || condition != nil || !environment.isEmpty
      || !inputsFrom.isEmpty || !produces.isEmpty
    {
      stated.insert(.preparation)
    }
    return stated
  }
}

/// The options of a step. By default, each property has the default value of the format.
@usableFromInline package struct StepOptions: Sendable, Hashable {
  /// The name that users see, or nil if they see the id.
  package var name: String?
  /// The events that the step waits for, without duplicates.
  package var after: [String] = []
  /// The expression in `if`, without `${{ }}`, or nil for `success()`.
  package var condition: String?
  /// True, false or an expression. A step that is not enabled is skipped.
  package var enabled: Switch = .literal(true)
  /// Determines how long the step is deferred.
  package var deferral: Deferral = .never
  /// True if the gate waits for the step. If nil, the gate waits unless the step is deferred.
  package var blocking: Bool?
  /// True if a failure of the step does not fail the run.
  package var isOptional = false
  /// The minimum and maximum duration of the step from the start of its first attempt, or nil if it has neither.
  package var deadline: StepDeadline?
  /// The rules for further attempts, or nil if the step has only one.
  package var retry: RetryPolicy?
  /// The queue: `main`, a quality of service, or a queue that the workflow declares. Nil means `user-initiated`, or
  /// `utility` for a deferred step.
  package var queue: String?
  /// The executor as written after `--on`, or `local`. Nil means the executor that `--on` names or, without it, that of
  /// the workflow.
  package var executor: String?
  /// The expected duration, or nil if it is unknown.
  package var estimate: Estimate?
  /// The resources that the step requests (`resources`), or nil if it requests none.
  package var request: MachineResources?
  /// The resources that attempts after the first one request, in order, if they differ from ``request``. The last
  /// element applies to all further attempts.
  package var laterRequests: [MachineResources] = []
  /// True if the step may run before activation.
  package var prewarm = false
  /// True if the output of the step's programs is not shown to the user.
  package var isQuiet = false
  /// True if commands should print colors when their output is shown to the user.
  package var allowsColor = true
  /// The maximum number of bytes that are recorded of the output of the step and its items. Nil means a share of the
  /// workflow's limit.
  package var logLimitBytes: Int?
  /// The handling of an attempt during which the process of a durable run has ended.
  package var onInterrupt = InterruptPolicy.rerun
  /// True if the step belongs to `finally`. It starts after all other steps have finished, regardless of their outcome,
  /// provided that its `if` is true.
  package var isFinal = false
  /// True if the step belongs to the `finally` of an included file. It waits only for the steps of that file, and not
  /// for the gate.
  package var isFinalInside = false
  /// The environment variables in `env`. They override those of the workflow. Values may contain `${{ }}`.
  package var environment: ValueObject = [:]
  /// The paths and patterns of the files that the step reads. The step is skipped if these files, its definition, its
  /// inputs, its variables, its products and the outputs of its dependencies have not changed since its last success.
  package var inputsFrom: [FileRule] = []
  /// The paths and patterns of the files that the step produces. If one of these files has changed, the step runs
  /// again.
  package var produces: [FileRule] = []
  /// The items for which the step runs, or nil if it runs once.
  package var fanOut: FanOut?
  /// True if a failure of the step affects its dependents, but neither the gate nor the run. Set if an optional step
  /// includes the step's file.
  package var isExcused = false
  /// The role of the step in an included workflow.
  package var includeRole = IncludeRole.none

  /// Returns the resources that an attempt requests, or nil if the step requests none. Attempts are counted from 1.
  package func request(ofAttempt attempt: Int) -> MachineResources? {
    attempt <= 1 || laterRequests.isEmpty ? request : laterRequests[min(attempt - 2, laterRequests.count - 1)]
  }

  /// The requests of the attempts that `retry` allows, without consecutive repetitions. Each has the number of its
  /// first attempt.
  package var requests: [(attempt: Int, request: MachineResources)] {
    guard let request else { return [] }
    let planned = laterRequests.prefix(max(0, (retry?.attempts ?? 1) - 1))
    return Self.once(request, planned)
  }

  /// The requests of all possible attempts, including attempts that follow a lost one, in the form of ``requests``.
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

  /// The events that the step waits for, followed by the event whose posts are its items.
  package var events: [String] { after + (fanOut?.event.map { [$0] } ?? []) }

  package init() {}
}

/// The handling of a step during which the process of a durable run has ended.
package enum InterruptPolicy: String, Sendable, Hashable, CaseIterable {
  /// The step runs again.
  case rerun
  /// The step fails. It runs again only if the user names it.
  case fail
}

/// True or false, or an expression that is evaluated at activation.
package enum Switch: Sendable, Hashable {
  case literal(Bool)
  /// An expression that is true or false, written without `${{ }}`.
  case expression(String)
}

/// Determines how long a step is deferred.
package enum Deferral: Sendable, Hashable {
  case never
  /// Until the gate has opened.
  case afterGate
  /// Until the gate has opened and the run is idle: only steps that are themselves deferred until then are queued or
  /// running.
  case idle
  /// Until the gate has opened if this expression, written without `${{ }}`, is true at activation. Otherwise the step
  /// is not deferred.
  case expression(String)
}

/// The minimum and maximum duration of a step, from the start of its first attempt.
package struct StepDeadline: Sendable, Hashable {
  /// The minimum duration of the step, or nil. A step that succeeds earlier does not count as finished until then.
  package var min: Duration?
  /// The duration after which the step times out, or nil if it never does.
  public var max: Duration?

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
  /// The factor by which the pause grows after each further attempt. It is at least 1.
  package var backoff: Double
  /// The maximum length of a pause.
  package var maxDelay: Duration
  package var jitter: Jitter
  /// The maximum duration of each attempt, or nil if it is unlimited.
  package var attemptDeadline: Duration?
  /// The reasons for another attempt, or nil if every failure that the action marks as retryable is one.
  package var reasons: RetryReasons?

  /// The random variation of a pause.
  package enum Jitter: String, Sendable, Hashable, CaseIterable {
    case none
    /// A pause has a random length between zero and its full length.
    case full
  }

  /// Creates a policy. Properties that are not given have the default values of the format.
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

/// The expected duration of a step, as a range.
package struct Estimate: Sendable, Hashable {
  package var low: Duration
  /// The duration in the worst case. The feasibility check and the order of ready steps use it.
  package var high: Duration

  package init(low: Duration, high: Duration) {
    self.low = low
    self.high = high
  }
}
