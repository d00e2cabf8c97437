import FlowDiagnostics
import FlowModel

/// The unit in which a client counts columns.
enum PositionEncoding: String {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
}

/// Converts between byte offsets and the protocol's lines and columns.
///
/// Lines end only with LF, CRLF or CR, unlike other line ends of YAML.
struct TextPositions {
  let source: SourceText
  let encoding: PositionEncoding
  private let lines: LineTable

  init(_ source: SourceText, _ encoding: PositionEncoding) {
    self.source = source
    self.encoding = encoding
    lines = LineTable(source)
  }

  /// Returns the byte at a location. A column past the end of its line is the end; one inside a character is its start.
  func offset(line: Int, column: Int) -> Int {
    if line < 0 { return 0 }
    guard line < lines.count else { return source.bytes.count }
    let span = lines.span(ofLine: line + 1)
    var offset = span.start
    var units = 0
    while offset < span.end {
      let (bytes, width) = size(at: offset)
      if units + width > column { break }
      units += width
      offset += bytes
    }
    return min(offset, span.end)
  }

  /// Returns the line and column, from 0, of a byte.
  func position(of offset: Int) -> (line: Int, column: Int) {
    let offset = min(max(0, offset), source.bytes.count)
    let line = lines.line(of: offset)
    // An offset between CR and LF is the end of the line.
    let span = lines.span(ofLine: line)
    let end = min(offset, span.end)
    guard encoding == .utf16 else { return (line - 1, end - span.start) }
    var units = 0
    var position = span.start
    while position < end {
      let (bytes, width) = size(at: position)
      units += width
      position += bytes
    }
    return (line - 1, units)
  }

  /// Returns the number of bytes and of columns of the character at an offset.
  private func size(at offset: Int) -> (bytes: Int, width: Int) {
    let first = source.bytes[offset]
    let bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    return (bytes, encoding == .utf8 ? bytes : bytes == 4 ? 2 : 1)
  }

  /// Returns a span as a range of the protocol.
  func range(_ span: TextSpan) -> Value {
    func value(_ location: (line: Int, column: Int)) -> Value {
      ["line": .integer(location.line), "character": .integer(location.column)]
    }
    return ["start": value(position(of: span.start)), "end": value(position(of: span.end))]
  }

  /// Returns the byte offset of a position of the protocol, or nil if it is malformed.
  func offset(_ position: Value?) -> Int? {
    guard let object = position?.objectValue, let line = object["line"]?.integerValue,
      let column = object["character"]?.integerValue
    else { return nil }
    return offset(line: line, column: column)
  }

  /// Returns the span of a range of the protocol, or nil if it is malformed.
  func span(_ range: Value?) -> TextSpan? {
    guard let object = range?.objectValue, let start = offset(object["start"]), let end = offset(object["end"]) else {
      return nil
    }
    return TextSpan(min(start, end), max(start, end))
  }
}
