import FlowModel

/// Visits all options of a step. One visitor finds those that differ from their defaults, one writes them, and one
/// reads them.
///
/// Values are passed as `inout` rather than as key paths, which the runtime would have to create at the start of an
/// app.
private protocol OptionVisitor {
  associatedtype Failure: Error
  /// Returns false if visiting the option has no effect. Reading and setting an option that is computed from others takes
  /// time even then.
  func visits(_ bit: Int) -> Bool
  /// Visits an option that is represented by its bit alone. The bit is set if `value` differs from `usual`.
  mutating func flag(_ bit: Int, _ value: inout Bool, usual: Bool) throws(Failure)
  /// Visits an option whose value is written if it differs from `usual`.
  mutating func part<Part: Compilable & Equatable>(_ bit: Int, _ value: inout Part, usual: Part) throws(Failure)
  /// Visits an option whose value is written if it is not nil.
  mutating func part<Part: Compilable>(_ bit: Int, _ value: inout Part?) throws(Failure)
}

extension StepOptions {
  /// The bits of options that are parts of other options. In a damaged file, such a bit may be set although the other
  /// option is missing.
  private enum Bit { static let (reasons, required, temporary) = (25, 28, 29) }

  /// Visits all options in the order of a compiled file. Each option has one line here. Those that are computed from
  /// others are visited only if that has an effect. A new option gets the next free bit.
  @inline(__always)
  private mutating func visit<Visitor: OptionVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.part(0, &name)
    try visitor.part(1, &after, usual: [])
    try visitor.part(2, &condition)
    try visitor.part(3, &enabled, usual: .literal(true))
    try visitor.part(4, &deferral, usual: .never)
    try visitor.part(5, &blocking)
    try visitor.flag(6, &isOptional, usual: false)
    try visitor.part(7, &deadline)
    try visitor.part(8, &retry)
    try visitor.part(9, &queue)
    try visitor.part(10, &executor)
    try visitor.part(11, &estimate)
    try visitor.part(12, &request)
    try visitor.flag(13, &prewarm, usual: false)
    try visitor.flag(14, &isQuiet, usual: false)
    if visitor.visits(15) { try visitor.flag(15, &failsOnInterrupt, usual: false) }
    try visitor.flag(16, &isFinal, usual: false)
    try visitor.flag(17, &isFinalInside, usual: false)
    try visitor.part(18, &environment, usual: [:])
    if visitor.visits(19) { try visitor.part(19, &inputPatterns, usual: []) }
    if visitor.visits(20) { try visitor.part(20, &productPatterns, usual: []) }
    try visitor.part(21, &fanOut)
    try visitor.flag(22, &isExcused, usual: false)
    try visitor.part(23, &includeRole, usual: .none)
    try visitor.part(24, &laterRequests, usual: [])
    if visitor.visits(Bit.reasons) { try visitor.part(Bit.reasons, &retryReasons) }
    try visitor.flag(26, &allowsColor, usual: true)
    if visitor.visits(27) { try visitor.part(27, &recordedLog) }
    if visitor.visits(Bit.required) { try visitor.part(Bit.required, &requiredFiles) }
    if visitor.visits(Bit.temporary) { try visitor.part(Bit.temporary, &temporaryProducts) }
  }
}

extension StepOptions: Compilable {
  func write(to writer: inout CompiledWriter) {
    var options = self
    var finder = OptionFinder()
    options.visit(&finder)
    writer.write(finder.bits)
    // The writer is swapped rather than copied, because a copy would include everything that has been written.
    var parts = OptionWriter(bits: finder.bits, writer: CompiledWriter())
    swap(&parts.writer, &writer)
    options.visit(&parts)
    swap(&parts.writer, &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init()
    try read(from: &reader)
  }

  /// Reads the options that are not defaults. As a part of the initializer, it would make the compiler copy all options.
  @inline(never)
  private mutating func read(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let bits: UInt64 = try reader.number()
    var parts = OptionReader(unread: bits, reader: reader)
    try visit(&parts)
    reader = parts.reader
    guard parts.unread == 0 else { throw reader.damaged("known options of a step") }
    if bits.has(Bit.reasons), retryReasons == nil { throw reader.damaged("reasons of a retry policy") }
    if bits.has(Bit.required), requiredFiles == nil { throw reader.damaged("the files of a step") }
    if bits.has(Bit.temporary), temporaryProducts == nil { throw reader.damaged("the products of a step") }
  }
}

extension UInt64 {
  fileprivate func has(_ bit: Int) -> Bool { self & (1 << UInt64(bit)) != 0 }
}

/// Finds the options that differ from their defaults.
private struct OptionFinder: OptionVisitor {
  typealias Failure = Never
  private(set) var bits: UInt64 = 0

  func visits(_ bit: Int) -> Bool { true }
  private mutating func mark(_ bit: Int, _ isStated: Bool) { if isStated { bits |= 1 << UInt64(bit) } }
  mutating func flag(_ bit: Int, _ value: inout Bool, usual: Bool) { mark(bit, value != usual) }
  mutating func part<Part: Equatable>(_ bit: Int, _ value: inout Part, usual: Part) { mark(bit, value != usual) }
  mutating func part<Part>(_ bit: Int, _ value: inout Part?) { mark(bit, value != nil) }
}

private struct OptionWriter: OptionVisitor {
  typealias Failure = Never
  let bits: UInt64
  var writer: CompiledWriter

  func visits(_ bit: Int) -> Bool { bits.has(bit) }
  mutating func flag(_ bit: Int, _ value: inout Bool, usual: Bool) {}
  mutating func part<Part: Compilable>(_ bit: Int, _ value: inout Part, usual: Part) {
    if bits.has(bit) { value.write(to: &writer) }
  }
  mutating func part<Part: Compilable>(_ bit: Int, _ value: inout Part?) { value?.write(to: &writer) }
}

private struct OptionReader: OptionVisitor {
  typealias Failure = CompiledWorkflowError
  /// The bits of the options that have not been read so far.
  var unread: UInt64
  var reader: CompiledReader

  @inline(__always)
  func visits(_ bit: Int) -> Bool { unread.has(bit) }

  @inline(__always)
  private mutating func takes(_ bit: Int) -> Bool {
    defer { unread &= ~(1 << UInt64(bit)) }
    return unread.has(bit)
  }

  @inline(__always)
  mutating func flag(_ bit: Int, _ value: inout Bool, usual: Bool) {
    if takes(bit) { value = !usual }
  }

  @inline(__always)
  mutating func part<Part: Compilable>(
    _ bit: Int, _ value: inout Part, usual: Part
  ) throws(CompiledWorkflowError) {
    if takes(bit) { value = try Part(from: &reader) }
  }

  @inline(__always)
  mutating func part<Part: Compilable>(_ bit: Int, _ value: inout Part?) throws(CompiledWorkflowError) {
    if takes(bit) { value = try Part(from: &reader) }
  }
}

/// Options as a compiled file contains them. Setting such an option to its current value changes nothing.
extension StepOptions {
  fileprivate var failsOnInterrupt: Bool {
    get { onInterrupt == .fail }
    set { onInterrupt = newValue ? .fail : .rerun }
  }

  fileprivate var inputPatterns: [String] {
    get { inputsFrom.map(\.pattern) }
    set { if inputsFrom.isEmpty { inputsFrom = newValue.map { FileRule($0) } } }
  }

  fileprivate var productPatterns: [String] {
    get { produces.map(\.pattern) }
    set { if produces.isEmpty { produces = newValue.map { FileRule($0) } } }
  }

  fileprivate var retryReasons: RetryReasons? {
    get { retry?.reasons }
    set { retry?.reasons = newValue }
  }

  fileprivate var recordedLog: LogSize? {
    get { logLimitBytes.map { LogSize(bytes: $0) } }
    set { logLimitBytes = newValue?.bytes }
  }

  /// The values of `required` for all files that the step reads, followed by those for all files that it produces. Nil
  /// if no file has one.
  fileprivate var requiredFiles: [Bool?]? {
    get {
      let all = inputsFrom.map(\.isRequired) + produces.map(\.isRequired)
      return all.contains { $0 != nil } ? all : nil
    }
    set {
      guard let newValue, newValue.count == inputsFrom.count + produces.count else { return }
      for index in inputsFrom.indices { inputsFrom[index].isRequired = newValue[index] }
      for index in produces.indices { produces[index].isRequired = newValue[inputsFrom.count + index] }
    }
  }

  fileprivate var temporaryProducts: [Bool]? {
    get { produces.contains(where: \.isTemporary) ? produces.map(\.isTemporary) : nil }
    set {
      guard let newValue, newValue.count == produces.count else { return }
      for index in produces.indices { produces[index].isTemporary = newValue[index] }
    }
  }
}

/// The value of `log-limit`, in bytes.
private struct LogSize: Compilable {
  let bytes: Int

  init(bytes: Int) { self.bytes = bytes }

  func write(to writer: inout CompiledWriter) { bytes.write(to: &writer) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    bytes = try Int(from: &reader)
    guard (Limits.leastLogBytes...Limits.logBytes).contains(bytes) else {
      throw reader.damaged("a size of the recorded log")
    }
  }
}

extension RetryReasons: Compilable {
  func write(to writer: inout CompiledWriter) {
    areExcepted.write(to: &writer)
    listed.map(\.text).write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let areExcepted = try Bool(from: &reader)
    let listed = try [String](from: &reader).map { Reason($0) }
    guard !listed.contains(nil) else { throw reader.damaged("reasons of a retry policy") }
    self.init(listed.compactMap(\.self), areExcepted: areExcepted)
  }
}

extension IncludeRole: Compilable {
  func write(to writer: inout CompiledWriter) { writer.write(byte: rawValue) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    guard let role = IncludeRole(rawValue: try reader.byte()) else { throw reader.damaged("a role") }
    self = role
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
