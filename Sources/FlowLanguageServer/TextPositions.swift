import FlowDiagnostics
import FlowModel

/// The unit in which a client counts the columns of a line.
enum PositionEncoding: String {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
}

/// Converts between byte offsets in a document and the protocol's lines and columns.
///
/// A line ends with LF, CRLF or CR. Other line breaks of YAML do not count.
struct TextPositions {
  let source: SourceText
  let encoding: PositionEncoding
  private let lines: LineTable

  init(_ source: SourceText, _ encoding: PositionEncoding) {
    self.source = source
    self.encoding = encoding
    lines = LineTable(source)
  }

  /// Returns the byte offset of a position. A column past the end of the line stands for its end, and a column inside a
  /// character stands for the character's start.
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

  /// Returns the line and column of a byte offset. Both count from 0.
  func position(of offset: Int) -> (line: Int, column: Int) {
    let offset = min(max(0, offset), source.bytes.count)
    let line = lines.line(of: offset)
    // An offset between CR and LF counts as the end of the line.
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

  /// Returns the size of the character at an offset, in bytes and in columns.
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
