import FlowModel
import FlowSystem

/// The lines of a program's standard error; keeps the last ones for the message when the program dies.
struct ProgramLog {
  private var splitter = LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  private var last = LastLines()

  private static let unfinishedBytes = 4 << 10

  /// The lines completed by a piece of the stream.
  struct Lines: Equatable {
    /// The lines within the limit.
    var texts: [String] = []
    /// The number of further lines, which are dropped; they cost little more than counting them.
    var dropped = 0
  }

  /// Adds data and returns the first `room` complete lines.
  mutating func append(_ piece: UnsafeRawBufferPointer, room: Int) -> Lines {
    var lines = Lines()
    let count = splitter.append(piece, room: room) { line, isWithinRoom in
      last.append(line)
      if isWithinRoom { lines.texts.append(String(decoding: line, as: UTF8.self)) }
    }
    lines.dropped = count - lines.texts.count
    return lines
  }

  /// The incomplete last line as a terminal would show it, or nil if there is none. Of a very long line only a part is
  /// kept.
  var unfinished: String? {
    let bytes = splitter.unfinished
    return bytes.isEmpty || bytes.count > Self.unfinishedBytes ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The incomplete last line at the end of the stream, or nil.
  mutating func finish() -> String? {
    var text: String?
    splitter.finish { line in
      last.append(line)
      text = String(decoding: line, as: UTF8.self)
    }
    return text
  }

  /// `; its log ends with: …`, or empty if there is no log.
  var explanation: String { last.isEmpty ? "" : "; its log ends with" + last.quote }
}
