/// JSON (RFC 8259) to and from ``Value``: the one reader and the one writer of the whole product.
///
/// ```swift
/// let value = try JSONText.parse(#"{"path": "a.sqlite", "created": true}"#)
/// let line = JSONText.write(value)  // {"path":"a.sqlite","created":true}
/// ```
///
/// Whole numbers that 64 bits hold become ``Value/integer(_:)``, all others ``Value/number(_:)``. Objects keep the order
/// of their members. What was written is read back as an equal value, except that NaN and the infinities, which JSON
/// does not have, are written as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`. Control characters are escaped, also
/// U+007F to U+009F, where JSON need not, because a terminal would obey them.
public enum JSONText {
  /// How written text is laid out.
  public enum Layout: Sendable, Hashable {
    /// No white space at all: one line, for streams.
    case compact
    /// Two spaces a level, one member a line, `[]` and `{}` when empty: what `toJSON` gives, and what people read.
    case indented
  }

  /// How numbers are written that JSON or JavaScript has no word for, and which control characters are escaped.
  public enum Numbers: Sendable, Hashable {
    /// NaN and infinities as strings, `-0.0` with its sign: nothing is lost. All control characters are escaped.
    case exact
    /// As `JSON.stringify` does: NaN and infinities as null, both zeros as `0`, U+007F to U+009F as they are.
    case javaScript
  }

  /// What a reader accepts.
  public struct Rules: Sendable, Hashable {
    /// How deep arrays and objects may nest.
    public var depth: Int
    /// The most bytes of text.
    public var bytes: Int
    /// Whether a key that comes twice, a number too large for a double and half a surrogate pair are accepted, as
    /// JavaScript's `JSON.parse` does: the last value at the first place, an infinity, U+FFFD. Otherwise each is an
    /// error.
    public var isLenient: Bool

    /// Rules with these limits.
    public init(depth: Int = Limits.jsonDepth, bytes: Int = Limits.jsonBytes, isLenient: Bool = false) {
      self.depth = depth
      self.bytes = bytes
      self.isLenient = isLenient
    }

    /// Rules for what the outputs of a step are sent or recorded as.
    public static let ofOutputs = Rules(bytes: Limits.commandOutputsBytes + Limits.outputBytes)
  }

  /// Reads a whole text; throws a ``JSONProblem`` that says what was found and where.
  public static func parse(_ text: String, rules: Rules = Rules()) throws(JSONProblem) -> Value {
    var copy = text
    return try copy.withUTF8 { result(of: $0, rules: rules) }.get()
  }

  /// Reads a whole text of UTF-8 bytes; throws a ``JSONProblem`` that says what was found and where.
  public static func parse(_ bytes: [UInt8], rules: Rules = Rules()) throws(JSONProblem) -> Value {
    try parse(bytes[...], rules: rules)
  }

  /// Reads a whole text of UTF-8 bytes, such as a line of a stream; offsets count from the start of the slice.
  public static func parse(_ bytes: ArraySlice<UInt8>, rules: Rules = Rules()) throws(JSONProblem) -> Value {
    try bytes.withUnsafeBufferPointer { result(of: $0, rules: rules) }.get()
  }

  private static func result(of bytes: UnsafeBufferPointer<UInt8>, rules: Rules) -> Result<Value, JSONProblem> {
    do throws(JSONProblem) { return .success(try parse(bytes, rules: rules)) } catch { return .failure(error) }
  }

  /// Reads a whole text of UTF-8 bytes; throws a ``JSONProblem`` that says what was found and where.
  public static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, rules: Rules = Rules()
  ) throws(JSONProblem) -> Value {
    var reader = JSONReader(bytes, rules: rules)
    return try reader.readText()
  }

  /// Writes a value as text.
  public static func write(_ value: Value, layout: Layout = .compact, numbers: Numbers = .exact) -> String {
    String(decoding: bytes(of: value, layout: layout, numbers: numbers), as: UTF8.self)
  }

  /// Writes a value as UTF-8 bytes.
  public static func bytes(of value: Value, layout: Layout = .compact, numbers: Numbers = .exact) -> [UInt8] {
    var output: [UInt8] = []
    append(value, to: &output, layout: layout, numbers: numbers)
    return output
  }

  /// Writes a value behind what `output` already holds.
  public static func append(
    _ value: Value, to output: inout [UInt8], layout: Layout = .compact, numbers: Numbers = .exact
  ) {
    JSONWriter(layout: layout, numbers: numbers).append(value, to: &output, level: 0)
  }

  /// Writes a string with its quotes and escapes behind what `output` already holds.
  public static func append(string: String, to output: inout [UInt8]) {
    JSONWriter.append(string: string, to: &output)
  }

  /// Writes a number behind what `output` already holds: the shortest digits that read back as the same double, `3`
  /// for 3.0.
  public static func append(number: Double, to output: inout [UInt8]) {
    JSONWriter.append(number: number, to: &output)
  }

  /// Writes an integer behind what `output` already holds.
  public static func append(integer: Int, to output: inout [UInt8]) {
    JSONWriter.append(integer: integer, to: &output)
  }
}
