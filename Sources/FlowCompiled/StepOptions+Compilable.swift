import FlowModel

/// The options of a step that are written, one bit each: those that differ from their defaults.
private struct Members: OptionSet {
  let rawValue: UInt64
  init(rawValue: UInt64) { self.rawValue = rawValue }
  private init(bit: UInt64) { rawValue = 1 << bit }

  static let name = Members(bit: 0)
  static let after = Members(bit: 1)
  static let condition = Members(bit: 2)
  static let enabled = Members(bit: 3)
  static let deferral = Members(bit: 4)
  static let blocking = Members(bit: 5)
  static let isOptional = Members(bit: 6)
  static let deadline = Members(bit: 7)
  static let retry = Members(bit: 8)
  static let queue = Members(bit: 9)
  static let executor = Members(bit: 10)
  static let estimate = Members(bit: 11)
  static let request = Members(bit: 12)
  static let prewarm = Members(bit: 13)
  static let isQuiet = Members(bit: 14)
  static let onInterrupt = Members(bit: 15)
  static let isFinal = Members(bit: 16)
  static let isFinalInside = Members(bit: 17)
  static let environment = Members(bit: 18)
  static let inputsFrom = Members(bit: 19)
  static let produces = Members(bit: 20)
  static let fanOut = Members(bit: 21)
  static let isExcused = Members(bit: 22)
  static let includeRole = Members(bit: 23)
  static let laterRequests = Members(bit: 24)
  static let retryReasons = Members(bit: 25)
  static let isColorless = Members(bit: 26)
  static let logLimit = Members(bit: 27)
  static let requiredFiles = Members(bit: 28)
  static let temporaryFiles = Members(bit: 29)
  static let count: UInt64 = 30

  init(of options: StepOptions) {
    self = []
    func note<Part: Equatable>(_ member: Members, _ part: KeyPath<StepOptions, Part>) -> Members {
      options[keyPath: part] == StepOptions.none[keyPath: part] ? [] : member
    }
    formUnion(note(.name, \.name))
    formUnion(note(.after, \.after))
    formUnion(note(.condition, \.condition))
    formUnion(note(.enabled, \.enabled))
    formUnion(note(.deferral, \.deferral))
    formUnion(note(.blocking, \.blocking))
    formUnion(note(.isOptional, \.isOptional))
    formUnion(note(.deadline, \.deadline))
    formUnion(note(.retry, \.retry))
    formUnion(note(.queue, \.queue))
    formUnion(note(.executor, \.executor))
    formUnion(note(.estimate, \.estimate))
    formUnion(note(.request, \.request))
    formUnion(note(.prewarm, \.prewarm))
    formUnion(note(.isQuiet, \.isQuiet))
    formUnion(note(.onInterrupt, \.onInterrupt))
    formUnion(note(.isFinal, \.isFinal))
    formUnion(note(.isFinalInside, \.isFinalInside))
    formUnion(note(.environment, \.environment))
    formUnion(note(.inputsFrom, \.inputsFrom))
    formUnion(note(.produces, \.produces))
    formUnion(note(.fanOut, \.fanOut))
    formUnion(note(.isExcused, \.isExcused))
    formUnion(note(.includeRole, \.includeRole))
    formUnion(note(.laterRequests, \.laterRequests))
    if options.retry?.reasons != nil { formUnion(.retryReasons) }
    formUnion(note(.isColorless, \.allowsColor))
    formUnion(note(.logLimit, \.logLimitBytes))
    if (options.inputsFrom + options.produces).contains(where: { $0.isRequired != nil }) { formUnion(.requiredFiles) }
    if options.produces.contains(where: \.isTemporary) { formUnion(.temporaryFiles) }
  }
}

extension StepOptions: Compilable {
  func write(to writer: inout CompiledWriter) {
    let members = Members(of: self)
    writer.write(members.rawValue)
    if let name { name.write(to: &writer) }
    if members.contains(.after) { after.write(to: &writer) }
    if let condition { condition.write(to: &writer) }
    if members.contains(.enabled) { enabled.write(to: &writer) }
    if members.contains(.deferral) { deferral.write(to: &writer) }
    if let blocking { blocking.write(to: &writer) }
    if let deadline { deadline.write(to: &writer) }
    if let retry { retry.write(to: &writer) }
    if let queue { queue.write(to: &writer) }
    if let executor { executor.write(to: &writer) }
    if let estimate { estimate.write(to: &writer) }
    if let request { request.write(to: &writer) }
    if members.contains(.environment) { environment.write(to: &writer) }
    if members.contains(.inputsFrom) { inputsFrom.map(\.pattern).write(to: &writer) }
    if members.contains(.produces) { produces.map(\.pattern).write(to: &writer) }
    if let fanOut { fanOut.write(to: &writer) }
    if members.contains(.includeRole) { writer.write(byte: includeRole.rawValue) }
    if members.contains(.laterRequests) { laterRequests.write(to: &writer) }
    if let reasons = retry?.reasons {
      reasons.areExcepted.write(to: &writer)
      reasons.listed.map(\.text).write(to: &writer)
    }
    if let logLimitBytes { logLimitBytes.write(to: &writer) }
    if members.contains(.requiredFiles) { (inputsFrom + produces).map(\.isRequired).write(to: &writer) }
    if members.contains(.temporaryFiles) { produces.map(\.isTemporary).write(to: &writer) }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init()
    let members = Members(rawValue: try reader.number())
    guard members.rawValue < 1 << Members.count else { throw reader.damaged("known options of a step") }
    if members.contains(.name) { name = try reader.text() }
    if members.contains(.after) { after = try [String](from: &reader) }
    if members.contains(.condition) { condition = try reader.text() }
    if members.contains(.enabled) { enabled = try Switch(from: &reader) }
    if members.contains(.deferral) { deferral = try Deferral(from: &reader) }
    if members.contains(.blocking) { blocking = try Bool(from: &reader) }
    if members.contains(.deadline) { deadline = try StepDeadline(from: &reader) }
    if members.contains(.retry) { retry = try RetryPolicy(from: &reader) }
    if members.contains(.queue) { queue = try reader.text() }
    if members.contains(.executor) { executor = try reader.text() }
    if members.contains(.estimate) { estimate = try Estimate(from: &reader) }
    if members.contains(.request) { request = try MachineResources(from: &reader) }
    if members.contains(.environment) { environment = try ValueObject(from: &reader) }
    if members.contains(.inputsFrom) { inputsFrom = try [String](from: &reader).map { FileRule($0) } }
    if members.contains(.produces) { produces = try [String](from: &reader).map { FileRule($0) } }
    if members.contains(.fanOut) { fanOut = try FanOut(from: &reader) }
    if members.contains(.includeRole) {
      guard let role = IncludeRole(rawValue: try reader.byte()) else { throw reader.damaged("a role") }
      includeRole = role
    }
    if members.contains(.laterRequests) { laterRequests = try [MachineResources](from: &reader) }
    if members.contains(.retryReasons) {
      let areExcepted = try Bool(from: &reader)
      let listed = try [String](from: &reader).map { RetryReasons.Reason($0) }
      guard retry != nil, !listed.contains(nil) else { throw reader.damaged("reasons of a retry policy") }
      retry?.reasons = RetryReasons(listed.compactMap(\.self), areExcepted: areExcepted)
    }
    if members.contains(.logLimit) {
      let bytes = try Int(from: &reader)
      guard (Limits.leastLogBytes...Limits.logBytes).contains(bytes) else {
        throw reader.damaged("a size of the recorded log")
      }
      logLimitBytes = bytes
    }
    if members.contains(.requiredFiles) {
      let required = try [Bool?](from: &reader)
      guard required.count == inputsFrom.count + produces.count else { throw reader.damaged("the files of a step") }
      for index in inputsFrom.indices { inputsFrom[index].isRequired = required[index] }
      for index in produces.indices { produces[index].isRequired = required[inputsFrom.count + index] }
    }
    if members.contains(.temporaryFiles) {
      let temporary = try [Bool](from: &reader)
      guard temporary.count == produces.count else { throw reader.damaged("the products of a step") }
      for index in produces.indices { produces[index].isTemporary = temporary[index] }
    }
    isOptional = members.contains(.isOptional)
    prewarm = members.contains(.prewarm)
    isQuiet = members.contains(.isQuiet)
    allowsColor = !members.contains(.isColorless)
    onInterrupt = members.contains(.onInterrupt) ? .fail : .rerun
    isFinal = members.contains(.isFinal)
    isFinalInside = members.contains(.isFinalInside)
    isExcused = members.contains(.isExcused)
  }
}

extension Switch: Compilable {
  func write(to writer: inout CompiledWriter) {
    switch self {
    case .literal(let value): writer.write(byte: value ? 1 : 0)
    case .expression(let text):
      writer.write(byte: 2)
      text.write(to: &writer)
    }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    switch try reader.index(below: 3) {
    case 2: self = .expression(try reader.text())
    case let value: self = .literal(value == 1)
    }
  }
}

extension Deferral: Compilable {
  func write(to writer: inout CompiledWriter) {
    switch self {
    case .never: writer.write(byte: 0)
    case .afterGate: writer.write(byte: 1)
    case .idle: writer.write(byte: 2)
    case .expression(let text):
      writer.write(byte: 3)
      text.write(to: &writer)
    }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    switch try reader.index(below: 4) {
    case 0: self = .never
    case 1: self = .afterGate
    case 2: self = .idle
    default: self = .expression(try reader.text())
    }
  }
}

extension StepDeadline: Compilable {
  func write(to writer: inout CompiledWriter) {
    min.write(to: &writer)
    max.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(min: try Duration?(from: &reader), max: try Duration?(from: &reader))
  }
}

extension RetryPolicy: Compilable {
  func write(to writer: inout CompiledWriter) {
    attempts.write(to: &writer)
    delay.write(to: &writer)
    backoff.write(to: &writer)
    maxDelay.write(to: &writer)
    jitter.write(to: &writer)
    attemptDeadline.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(
      attempts: try Int(from: &reader), delay: try Duration(from: &reader), backoff: try Double(from: &reader),
      maxDelay: try Duration(from: &reader), jitter: try Jitter(from: &reader),
      attemptDeadline: try Duration?(from: &reader))
    guard (1...Limits.attempts).contains(attempts), backoff >= 1, backoff.isFinite else {
      throw reader.damaged("a retry policy")
    }
  }
}

extension Estimate: Compilable {
  func write(to writer: inout CompiledWriter) {
    low.write(to: &writer)
    high.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(low: try Duration(from: &reader), high: try Duration(from: &reader))
  }
}

extension MachineResources: Compilable {
  func write(to writer: inout CompiledWriter) {
    cpus.write(to: &writer)
    memoryBytes.write(to: &writer)
    gpus.write(to: &writer)
    (job?.timeLimit).write(to: &writer)
    (job?.partition).write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(cpus: try Int(from: &reader), memoryBytes: try Int(from: &reader), gpus: try Int(from: &reader))
    guard (0...Limits.cpus).contains(cpus), (0...Limits.cpus).contains(gpus), memoryBytes >= 0 else {
      throw reader.damaged("cpus, memory and gpus")
    }
    let (timeLimit, partition) = (try Duration?(from: &reader), try String?(from: &reader))
    if timeLimit != nil || partition != nil { job = ClusterJob(timeLimit: timeLimit, partition: partition) }
  }
}

extension FanOut: Compilable {
  func write(to writer: inout CompiledWriter) {
    switch source {
    case .items(let items):
      writer.write(byte: 0)
      items.write(to: &writer)
    case .axes(let axes, let exclude, let include):
      writer.write(byte: 1)
      axes.write(to: &writer)
      exclude.write(to: &writer)
      include.write(to: &writer)
    case .posts(let event):
      writer.write(byte: 2)
      event.write(to: &writer)
    case .files(let patterns):
      writer.write(byte: 3)
      patterns.write(to: &writer)
    }
    parallel.write(to: &writer)
    isFailFast.write(to: &writer)
    deadline.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    switch try reader.index(below: 4) {
    case 0: self.init(.items(try Value(from: &reader)))
    case 1:
      self.init(
        .axes(
          try ValueObject(from: &reader), exclude: try [Value](from: &reader), include: try [Value](from: &reader)))
    case 2: self.init(.posts(of: try reader.text()))
    default: self.init(.files(try [String](from: &reader)))
    }
    parallel = try Int?(from: &reader)
    isFailFast = try Bool(from: &reader)
    deadline = try Duration?(from: &reader)
    guard parallel ?? 1 >= 1 else { throw reader.damaged("a number of items above 0") }
  }
}
