import FlowEngine
import FlowModel
import FlowStore

/// A span in an OpenTelemetry trace.
struct TraceSpan {
  /// The id of the span, as 16 hexadecimal digits.
  var id: String
  /// The id of the parent span, or nil if there is none.
  var parentID: String?
  var facts: SpanFacts
  /// The start and end of the span, in nanoseconds since 1970.
  var startNanoseconds: Int
  var endNanoseconds: Int
  var events: [Event] = []

  init(id: String, parentID: String?, _ facts: SpanFacts, startNanoseconds: Int, endNanoseconds: Int) {
    self.id = id
    self.parentID = parentID
    self.facts = facts
    self.startNanoseconds = startNanoseconds
    self.endNanoseconds = endNanoseconds
  }

  /// An event at one instant of the span.
  struct Event {
    var facts: SpanFacts
    var atNanoseconds: Int
  }
}

extension TraceSpan {
  /// Returns an OTLP `ExportTraceServiceRequest` with these spans, encoded as Protobuf.
  static func request(_ spans: some Sequence<TraceSpan>, traceID: String, resource: ValueObject) -> [UInt8] {
    var resourceMessage = ByteWriter()
    resourceMessage.add(attributes: resource, at: 1)
    var scope = ByteWriter()
    scope.add("flowrun", at: 1)
    var scopeSpans = ByteWriter()
    scopeSpans.add(scope.bytes, at: 1)
    let trace = Self.bytes(traceID)
    for span in spans { scopeSpans.add(span.message(trace), at: 2) }
    var resourceSpans = ByteWriter()
    resourceSpans.add(resourceMessage.bytes, at: 1)
    resourceSpans.add(scopeSpans.bytes, at: 2)
    var request = ByteWriter()
    request.add(resourceSpans.bytes, at: 1)
    return request.bytes
  }

  /// Reads an `ExportTraceServiceResponse`. Returns the number of rejected spans and the server's message.
  static func rejected(in response: [UInt8]) -> (count: Int, message: String) {
    var reader = ProtobufReader(response)
    while let (field, content) = reader.next() {
      guard field == 1, case .bytes(let partial) = content else { continue }
      var inner = ProtobufReader(Array(partial))
      var result = (count: 0, message: "")
      while let (field, content) = inner.next() {
        switch (field, content) {
        case (1, .number(let number)): result.count = Int(clamping: number)
        case (2, .bytes(let text)): result.message = String(decoding: text, as: UTF8.self)
        default: break
        }
      }
      return result
    }
    return (0, "")
  }

  private func message(_ trace: [UInt8]) -> [UInt8] {
    var span = ByteWriter()
    span.add(trace, at: 1)
    span.add(Self.bytes(id), at: 2)
    if let parentID { span.add(Self.bytes(parentID), at: 4) }
    span.add(facts.name, at: 5)
    // SPAN_KIND_INTERNAL, the kind of all spans.
    span.add(1, at: 6)
    span.add(fixed: startNanoseconds, at: 7)
    span.add(fixed: endNanoseconds, at: 8)
    span.add(attributes: facts.attributes, at: 9)
    for event in events {
      var message = ByteWriter()
      message.add(fixed: event.atNanoseconds, at: 1)
      message.add(event.facts.name, at: 2)
      message.add(attributes: event.facts.attributes, at: 3)
      span.add(message.bytes, at: 11)
    }
    if let error = facts.error {
      var status = ByteWriter()
      status.add(error, at: 2)
      // STATUS_CODE_ERROR, because the span ended with an error.
      status.add(2, at: 3)
      span.add(status.bytes, at: 15)
    }
    return span.bytes
  }

  /// Returns the bytes that pairs of hexadecimal digits represent.
  private static func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}

/// Writes Protobuf fields. The number and type of a field come first, then its content.
extension ByteWriter {
  fileprivate mutating func add(_ content: [UInt8], at field: UInt64) {
    add(field << 3 | 2)
    add(content)
  }

  fileprivate mutating func add(_ text: String, at field: UInt64) {
    add(field << 3 | 2)
    add(text)
  }

  fileprivate mutating func add(_ number: Int, at field: UInt64) {
    add(field << 3)
    add(UInt64(bitPattern: Int64(number)))
  }

  fileprivate mutating func add(fixed number: Int, at field: UInt64) {
    add(field << 3 | 1)
    for shift in stride(from: 0, to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Adds attributes as `KeyValue` messages. Values that are neither strings nor integers are omitted.
  fileprivate mutating func add(attributes: ValueObject, at field: UInt64) {
    for (key, content) in attributes {
      var value = ByteWriter()
      switch content {
      case .string(let text): value.add(text, at: 1)
      case .integer(let number): value.add(number, at: 3)
      default: continue
      }
      var pair = ByteWriter()
      pair.add(key, at: 1)
      pair.add(value.bytes, at: 2)
      add(pair.bytes, at: field)
    }
  }
}

/// Reads the fields of a Protobuf message. Invalid data ends the iteration.
private struct ProtobufReader {
  enum Content {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
    case other
  }

  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func next() -> (field: UInt64, content: Content)? {
    guard let tag = number() else { return nil }
    switch tag & 7 {
    case 0: return number().map { (tag >> 3, .number($0)) }
    case 1: return take(8).map { _ in (tag >> 3, .other) }
    case 2: return number().flatMap { take(Int(clamping: $0)) }.map { (tag >> 3, .bytes($0)) }
    case 5: return take(4).map { _ in (tag >> 3, .other) }
    default: return nil
    }
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func number() -> UInt64? {
    var (result, shift): (UInt64, UInt64) = (0, 0)
    while shift < 64, let byte = rest.popFirst() {
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return result }
      shift += 7
    }
    return nil
  }
}
