import FlowModel
import FlowSystem

/// Splits a program's standard error into lines. Keeps the last lines for the error message if the program ends
/// unexpectedly.
struct ProgramLog {
  private var splitter = LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  private var last = LastLines()

  private static let unfinishedBytes = 4 << 10

  /// The lines that were completed by a piece of the stream.
  struct Lines: Equatable {
    /// The lines that may be logged.
    var texts: [String] = []
    /// The number of lines beyond the limit, which are counted but not kept.
    var dropped = 0
  }

  /// Adds data. Returns at most `room` complete lines, and the number of complete lines beyond them.
  mutating func append(_ piece: UnsafeRawBufferPointer, room: Int) -> Lines {
    var lines = Lines()
    let count = splitter.append(piece, room: room) { line, isWithinRoom in
      last.append(line)
      if isWithinRoom { lines.texts.append(String(decoding: line, as: UTF8.self)) }
    }
    lines.dropped = count - lines.texts.count
    return lines
  }

  /// The incomplete last line, as a terminal would show it. Nil if there is none or if it is longer than 4 KiB.
  var unfinished: String? {
    let bytes = splitter.unfinished
    return bytes.isEmpty || bytes.count > Self.unfinishedBytes ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the incomplete last line at the end of the stream, or nil if the stream ended with a line break.
  mutating func finish() -> String? {
    var text: String?
    splitter.finish { line in
      last.append(line)
      text = String(decoding: line, as: UTF8.self)
    }
    return text
  }

  /// The end of an error message, `; its log ends with …`. It is empty if there are no log lines.
  var explanation: String { last.isEmpty ? "" : "; its log ends with" + last.quote }
}
