import FlowModel

/// A part of a workflow that can be written to a compiled file and read from it.
protocol Compilable {
  func write(to writer: inout CompiledWriter)
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError)
}

extension String: Compilable {
  func write(to writer: inout CompiledWriter) { writer.write(text: self) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) { self = try reader.text() }
}

extension Bool: Compilable {
  func write(to writer: inout CompiledWriter) { writer.write(byte: self ? 1 : 0) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) { self = try reader.index(below: 2) == 1 }
}

extension Int: Compilable {
  func write(to writer: inout CompiledWriter) { writer.write(signed: self) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) { self = try reader.signed() }
}

extension Double: Compilable {
  func write(to writer: inout CompiledWriter) { writer.write(fixed: bitPattern) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) { self.init(bitPattern: try reader.fixed()) }
}

/// Durations are stored with a precision of one nanosecond, as in workflows.
extension Duration: Compilable {
  func write(to writer: inout CompiledWriter) { writer.write(signed: nanoseconds) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let nanoseconds = try reader.signed()
    guard nanoseconds >= 0, nanoseconds <= DurationText.longest.nanoseconds else { throw reader.damaged("a duration") }
    self = .nanoseconds(nanoseconds)
  }
}

extension Optional: Compilable where Wrapped: Compilable {
  func write(to writer: inout CompiledWriter) {
    writer.write(byte: self == nil ? 0 : 1)
    self?.write(to: &writer)
  }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self = try reader.index(below: 2) == 1 ? Wrapped(from: &reader) : nil
  }
}

extension Array: Compilable where Element: Compilable {
  func write(to writer: inout CompiledWriter) {
    writer.write(count: count)
    for element in self { element.write(to: &writer) }
  }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init()
    try add(from: &reader)
  }
  /// Reads elements into an empty array. Assigning an array, even an empty one, would make the runtime instantiate its
  /// type. That takes longer than reading a small workflow, and most arrays in a workflow are empty.
  mutating func add(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let count = try reader.count()
    if count == 0 { return }
    // Reserve little, because the count may be wrong: an element may take a single byte in the file, but a hundred
    // times as much in memory.
    reserveCapacity(Swift.min(count, 1_024))
    for _ in 0..<count { append(try Element(from: &reader)) }
  }
}

/// Entries are stored in the order of their keys, so that equal dictionaries have equal bytes.
extension Dictionary: Compilable where Key == String, Value: Compilable {
  func write(to writer: inout CompiledWriter) {
    writer.write(count: count)
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      key.write(to: &writer)
      value.write(to: &writer)
    }
  }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init()
    try add(from: &reader)
  }
  /// Reads entries into an empty dictionary. The reason is given at `Array.add(from:)`.
  mutating func add(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    for _ in 0..<(try reader.count()) {
      let key = try reader.text()
      let value = try Value(from: &reader)
      guard updateValue(value, forKey: key) == nil else { throw reader.damaged("each key once") }
    }
  }
}

extension RawRepresentable where RawValue == String, Self: Compilable {
  func write(to writer: inout CompiledWriter) { writer.write(text: rawValue) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    guard let value = Self(rawValue: try reader.text()) else { throw reader.damaged("one of the known words") }
    self = value
  }
}

extension InterruptPolicy: Compilable {}
extension StepQueue: Compilable {}
extension RetryPolicy.Jitter: Compilable {}
extension ValueType.PathBase: Compilable {}
extension ActionEffect: Compilable {
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    // `init(rawValue:)` searches an array of static strings, whose type the runtime would create.
    let word = try reader.text()
    if word == Self.durable.rawValue {
      self = .durable
    } else if word == Self.process.rawValue {
      self = .process
    } else {
      throw reader.damaged("one of the known words")
    }
  }
}
extension EventSource: Compilable {}
