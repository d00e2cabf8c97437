import FlowDiagnostics
import FlowModel

/// How a client counts the columns of a line.
enum PositionEncoding: String {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
}

/// Lines and columns of a text as the protocol counts them, and bytes.
///
/// Lines end with LF, CRLF or CR alone, whatever else YAML takes for an end of line.
struct TextPositions {
  let source: SourceText
  let encoding: PositionEncoding
  private let lines: LineTable

  init(_ source: SourceText, _ encoding: PositionEncoding) {
    self.source = source
    self.encoding = encoding
    lines = LineTable(source)
  }

  /// The byte at a location; one past the end of its line is the end, one inside of a character its beginning.
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

  /// Line and column, from 0, of a byte.
  func position(of offset: Int) -> (line: Int, column: Int) {
    let offset = min(max(0, offset), source.bytes.count)
    let line = lines.line(of: offset)
    // Between CR and LF is nothing: it is the end of the line.
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

  /// The bytes of the character at an offset, and how many columns it has.
  private func size(at offset: Int) -> (bytes: Int, width: Int) {
    let first = source.bytes[offset]
    let bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    return (bytes, encoding == .utf8 ? bytes : bytes == 4 ? 2 : 1)
  }

  /// A range of the protocol.
  func range(_ span: TextSpan) -> Value {
    func value(_ location: (line: Int, column: Int)) -> Value {
      ["line": .integer(location.line), "character": .integer(location.column)]
    }
    return ["start": value(position(of: span.start)), "end": value(position(of: span.end))]
  }

  /// The byte of a position of the protocol; nil if it is none.
  func offset(_ position: Value?) -> Int? {
    guard let object = position?.objectValue, let line = object["line"]?.integerValue,
      let column = object["character"]?.integerValue
    else { return nil }
    return offset(line: line, column: column)
  }

  /// The bytes of a range of the protocol; nil if it is none.
  func span(_ range: Value?) -> TextSpan? {
    guard let object = range?.objectValue, let start = offset(object["start"]), let end = offset(object["end"]) else {
      return nil
    }
    return TextSpan(min(start, end), max(start, end))
  }
}
