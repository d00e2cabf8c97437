/// Converts between JSON (RFC 8259) and ``Value``. flowrun has no other JSON reader or writer.
///
/// ```swift
/// let value = try JSONText.parse(#"{"path": "a.sqlite", "created": true}"#)
/// let line = JSONText.write(value)  // {"path":"a.sqlite","created":true}
/// ```
///
/// Whole numbers that fit in 64 bits become ``Value/integer(_:)``, all others ``Value/number(_:)``. Objects keep the
/// order of their members. Written values are read back as equal values, except that NaN and the infinities, which JSON
/// lacks, are written as the strings `"NaN"`, `"Infinity"` and `"-Infinity"`. Control characters are escaped, including
/// U+007F to U+009F, which JSON allows but a terminal would obey.
public enum JSONText {
  /// The layout of written text.
  public enum Layout: Sendable, Hashable {
    /// One line without any white space, for streams.
    case compact
    /// One member per line, indented by two spaces per level, with `[]` and `{}` if empty: the layout of `toJSON`, for
    /// people.
    case indented
  }

  /// The spelling of numbers that JSON or JavaScript cannot express, and the control characters that are escaped.
  public enum Numbers: Sendable, Hashable {
    /// NaN and infinities as strings, `-0.0` with its sign, so that nothing is lost. All control characters are
    /// escaped.
    case exact
    /// Like `JSON.stringify`: NaN and infinities as null, both zeros as `0`, U+007F to U+009F unescaped.
    case javaScript
  }

  /// The texts that a reader accepts.
  public struct Rules: Sendable, Hashable {
    /// The maximum nesting depth of arrays and objects.
    public var depth: Int
    /// The maximum size of the text in bytes.
    public var bytes: Int
    /// True if repeated keys, numbers too large for a double and unpaired surrogates are accepted, as by JavaScript's
    /// `JSON.parse`: they yield the last value at the first position, an infinity, and U+FFFD. Otherwise each is an
    /// error.
    public var isLenient: Bool

    /// Creates rules with these limits.
    public init(depth: Int = Limits.jsonDepth, bytes: Int = Limits.jsonBytes, isLenient: Bool = false) {
      self.depth = depth
      self.bytes = bytes
      self.isLenient = isLenient
    }

    /// The rules for the outputs of a step when they are sent or recorded.
    public static let ofOutputs = Rules(bytes: Limits.commandOutputsBytes + Limits.outputBytes)
  }

  /// Parses a text. Throws a ``JSONProblem`` with the location.
  public static func parse(_ text: String, rules: Rules = Rules()) throws(JSONProblem) -> Value {
    var copy = text
    return try copy.withUTF8 { result(of: $0, rules: rules) }.get()
  }

  /// Parses UTF-8 bytes. Throws a ``JSONProblem`` with the location.
  public static func parse(_ bytes: [UInt8], rules: Rules = Rules()) throws(JSONProblem) -> Value {
    try parse(bytes[...], rules: rules)
  }

  /// Parses UTF-8 bytes, such as a line of a stream; offsets count from the start of the slice.
  public static func parse(_ bytes: ArraySlice<UInt8>, rules: Rules = Rules()) throws(JSONProblem) -> Value {
    try bytes.withUnsafeBufferPointer { result(of: $0, rules: rules) }.get()
  }

  private static func result(of bytes: UnsafeBufferPointer<UInt8>, rules: Rules) -> Result<Value, JSONProblem> {
    do throws(JSONProblem) { return .success(try parse(bytes, rules: rules)) } catch { return .failure(error) }
  }

  /// Parses UTF-8 bytes. Throws a ``JSONProblem`` with the location.
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

  /// Appends a value to `output`.
  public static func append(
    _ value: Value, to output: inout [UInt8], layout: Layout = .compact, numbers: Numbers = .exact
  ) {
    JSONWriter(layout: layout, numbers: numbers).append(value, to: &output, level: 0)
  }

  /// Appends a string with quotes and escapes to `output`.
  public static func append(string: String, to output: inout [UInt8]) {
    JSONWriter.append(string: string, to: &output)
  }

  /// Appends a number to `output`, with the fewest digits that read back as the same double, such as `3` for 3.0.
  public static func append(number: Double, to output: inout [UInt8]) {
    JSONWriter.append(number: number, to: &output)
  }

  /// Appends an integer to `output`.
  public static func append(integer: Int, to output: inout [UInt8]) {
    JSONWriter.append(integer: integer, to: &output)
  }
}
