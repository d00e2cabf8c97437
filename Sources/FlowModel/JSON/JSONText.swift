/// Converts between JSON (RFC 8259) and ``Value``. All parts of flowrun use it to read and write JSON.
///
/// ```swift
/// let value = try JSONText.parse(#"{"path": "a.sqlite", "created": true}"#)
/// let line = JSONText.write(value)  // {"path":"a.sqlite","created":true}
/// ```
///
/// An integer that fits in 64 bits is read as ``Value/integer(_:)``, any other number as ``Value/number(_:)``. Objects
/// keep the order of their members.
///
/// Writing and reading a value does not change it, except that NaN and the infinities, which JSON lacks, become the
/// strings `"NaN"`, `"Infinity"` and `"-Infinity"`. Control characters are escaped, including U+007F to U+009F, which
/// JSON allows but terminals interpret.
package enum JSONText {
  /// The arrangement of white space in written JSON.
  package enum Layout: Sendable, Hashable {
    /// A single line without white space, for streams.
    case compact
    /// One member per line, indented by two spaces per level. Empty collections are written as `[]` and `{}`. `toJSON`
    /// uses this layout.
    case indented
  }

  /// The format of numbers that JSON or JavaScript lack, and the control characters that are escaped.
  package enum Numbers: Sendable, Hashable {
    /// No information is lost: NaN and infinities are strings, and `-0.0` keeps its sign. All control characters are
    /// escaped.
    case exact
    /// The format of `JSON.stringify`: NaN and infinities are null, both zeros are `0`, and U+007F to U+009F are not
    /// escaped.
    case javaScript
  }

  /// The limits of a reader, and the errors that it tolerates.
  package struct Rules: Sendable, Hashable {
    /// The maximum nesting depth of arrays and objects.
    package var depth: Int
    /// The maximum size of the text in bytes.
    package var bytes: Int
    /// True to accept everything that JavaScript's `JSON.parse` accepts. The last value of a repeated key is used, at
    /// the position of the first; a number that is too large for a double is an infinity; an unpaired surrogate is
    /// U+FFFD. If false, these are errors.
    package var isLenient: Bool

    /// Creates rules. By default, they are strict.
    package init(depth: Int = Limits.jsonDepth, bytes: Int = Limits.jsonBytes, isLenient: Bool = false) {
      self.depth = depth
      self.bytes = bytes
      self.isLenient = isLenient
    }

    /// The rules for reading a step's outputs from messages and journals.
    package static let ofOutputs = Rules(bytes: Limits.commandOutputsBytes + Limits.outputBytes)
  }

  /// Parses JSON in a string. Throws the first problem with its location.
  package static func parse(_ text: String, rules: Rules = Rules()) throws(JSONProblem) -> Value {
    var copy = text
    return try copy.withUTF8 { result(of: $0, rules: rules) }.get()
  }

  /// Parses JSON in UTF-8 bytes. Throws the first problem with its location.
  package static func parse(_ bytes: [UInt8], rules: Rules = Rules()) throws(JSONProblem) -> Value {
    try parse(bytes[...], rules: rules)
  }

  /// Parses JSON in a slice of UTF-8 bytes, such as a line of a stream. Offsets in problems count from the start of the
  /// slice.
  package static func parse(_ bytes: ArraySlice<UInt8>, rules: Rules = Rules()) throws(JSONProblem) -> Value {
    try bytes.withUnsafeBufferPointer { result(of: $0, rules: rules) }.get()
  }

  private static func result(of bytes: UnsafeBufferPointer<UInt8>, rules: Rules) -> Result<Value, JSONProblem> {
    do throws(JSONProblem) { return .success(try parse(bytes, rules: rules)) } catch { return .failure(error) }
  }

  /// Parses JSON in UTF-8 bytes. Throws the first problem with its location.
  package static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, rules: Rules = Rules()
  ) throws(JSONProblem) -> Value {
    var reader = JSONReader(bytes, rules: rules)
    return try reader.readText()
  }

  /// Returns a value as JSON.
  package static func write(_ value: Value, layout: Layout = .compact, numbers: Numbers = .exact) -> String {
    String(decoding: bytes(of: value, layout: layout, numbers: numbers), as: UTF8.self)
  }

  /// Returns a value as JSON in UTF-8 bytes.
  package static func bytes(of value: Value, layout: Layout = .compact, numbers: Numbers = .exact) -> [UInt8] {
    var output: [UInt8] = []
    append(value, to: &output, layout: layout, numbers: numbers)
    return output
  }

  /// Appends a value as JSON to `output`.
  package static func append(
    _ value: Value, to output: inout [UInt8], layout: Layout = .compact, numbers: Numbers = .exact
  ) {
    JSONWriter(layout: layout, numbers: numbers).append(value, to: &output, level: 0)
  }

  /// Appends a string to `output`, with quotes and escapes.
  package static func append(string: String, to output: inout [UInt8]) {
    JSONWriter.append(string: string, to: &output)
  }

  /// Appends the content of a string to `output`, with escapes but without quotes.
  package static func append(contentOf string: String, to output: inout [UInt8]) {
    var string = string
    string.withUTF8 { append(contentOf: $0, to: &output) }
  }

  /// Appends the content of a UTF-8 string to `output`, with escapes but without quotes.
  package static func append(contentOf string: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
    JSONWriter.append(contentOf: string, to: &output, escapesAllControls: true)
  }

  /// Appends a number to `output`, with the fewest digits that still identify the same double. For example, 3.0 is
  /// written as `3`.
  package static func append(number: Double, to output: inout [UInt8]) {
    JSONWriter.append(number: number, to: &output)
  }

  package static func append(integer: Int, to output: inout [UInt8]) {
    JSONWriter.append(integer: integer, to: &output)
  }
}
