import FlowModel
import FlowSystem

/// What a program writes on its standard error, line by line, and the last lines for the message when it dies.
struct ProgramLog {
  private var splitter = LineSplitter(longest: Limits.logLineBytes + 1, overwritten: LastLines.lineBytes)
  private var last = LastLines()

  private static let unfinishedBytes = 4 << 10

  /// The lines that a piece of the stream completed.
  struct Lines: Equatable {
    /// Those that there was room for.
    var texts: [String] = []
    /// How many followed that are dropped; they cost hardly more than being counted.
    var dropped = 0
  }

  /// Takes up what was read and gives the first `room` lines that are complete.
  mutating func append(_ piece: UnsafeRawBufferPointer, room: Int) -> Lines {
    var lines = Lines()
    let count = splitter.append(piece, room: room) { line, isWithinRoom in
      last.append(line)
      if isWithinRoom { lines.texts.append(String(decoding: line, as: UTF8.self)) }
    }
    lines.dropped = count - lines.texts.count
    return lines
  }

  /// The line whose end has not come, as a terminal would show it; nil if none has begun, and of what is far longer than
  /// a terminal is wide.
  var unfinished: String? {
    let bytes = splitter.unfinished
    return bytes.isEmpty || bytes.count > Self.unfinishedBytes ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The line without an end that is last, when the stream has ended.
  mutating func finish() -> String? {
    var text: String?
    splitter.finish { line in
      last.append(line)
      text = String(decoding: line, as: UTF8.self)
    }
    return text
  }

  /// `; its log ends with: …`, or nothing when there is no log.
  var explanation: String { last.isEmpty ? "" : "; its log ends with" + last.quote }
}
