import FlowModel
import FlowSystem

/// Splits a program's standard error into lines, and keeps the last ones for the error message when the program ends
/// unexpectedly.
struct ProgramLog {
  private var splitter = LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  private var last = LastLines()

  private static let unfinishedBytes = 4 << 10

  /// The lines that a piece of the stream completes.
  struct Lines: Equatable {
    /// The lines that may be logged.
    var texts: [String] = []
    /// The number of dropped lines. These are only counted.
    var dropped = 0
  }

  /// Adds data. Returns at most `room` complete lines and the number of further ones.
  mutating func append(_ piece: UnsafeRawBufferPointer, room: Int) -> Lines {
    var lines = Lines()
    let count = splitter.append(piece, room: room) { line, isWithinRoom in
      last.append(line)
      if isWithinRoom { lines.texts.append(String(decoding: line, as: UTF8.self)) }
    }
    lines.dropped = count - lines.texts.count
    return lines
  }

  /// The incomplete last line, as a terminal would show it. Returns nil if there is none or if it is longer than 4 KiB.
  var unfinished: String? {
    let bytes = splitter.unfinished
    return bytes.isEmpty || bytes.count > Self.unfinishedBytes ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the incomplete last line at the end of the stream, or nil if there is none.
  mutating func finish() -> String? {
    var text: String?
    splitter.finish { line in
      last.append(line)
      text = String(decoding: line, as: UTF8.self)
    }
    return text
  }

  /// The clause `; its log ends with …` for an error message. It is empty if there are no log lines.
  var explanation: String { last.isEmpty ? "" : "; its log ends with" + last.quote }
}
