import FlowDiagnostics
import FlowModel
import FlowPluginKit

/// Output lines that the command of a step printed together. Each line represents a `step.log` event.
package struct StepLines: Sendable {
  /// The time of printing, in nanoseconds from the start of the run.
  package var atNanoseconds: Int
  package let step: StepID
  package let stream: LogStream
  package var lines: PrintedLines
  /// True if no line contains characters that ``TerminalText`` replaces or interprets.
  let isPlain: Bool

  init(atNanoseconds: Int, step: StepID, stream: LogStream, lines: PrintedLines, isPlain: Bool) {
    self.atNanoseconds = atNanoseconds
    self.step = step
    self.stream = stream
    self.lines = lines
    self.isPlain = isPlain
  }

  /// Creates lines that have not been checked for control characters.
  package init(atNanoseconds: Int, step: StepID, stream: LogStream, _ lines: PrintedLines) {
    self.init(
      atNanoseconds: atNanoseconds, step: step, stream: stream, lines: lines,
      isPlain: !CommandText.isNeeded(for: lines.text))
  }

  /// The lines as events, one for each.
  package var events: [RunEvent] { lines.strings.map { event($0) } }

  private func event(_ line: String) -> RunEvent {
    RunEvent(atNanoseconds: atNanoseconds, .stepLog(step, level: .info, stream: stream, message: line))
  }

  /// Returns the lines as a terminal would finally show them, each after `prefix`. Escape sequences are removed, except
  /// those for colors if `keepsColors` is true.
  package func shown(after prefix: String, keepsColors: Bool) -> String {
    if isPlain { return lines.prefixed(by: prefix).text }
    var text = ""
    lines.forEach { line, _ in
      text += prefix
      text += TerminalText.commandLine(String(decoding: line, as: UTF8.self), keepsColors: keepsColors)
      text += "\n"
    }
    return text
  }

  /// Appends a JSON object and a line break for each line. The objects are the same as those of ``events``.
  ///
  /// - Parameters:
  ///   - keepsColors: True for the journal, which keeps the colors of a command's output.
  ///   - number: The number of the first line, or nil if the lines are not numbered.
  package func appendJSON(to bytes: inout [UInt8], keepsColors: Bool = false, numberedFrom number: Int? = nil) {
    var number = number
    // The message is the last member, so that all objects begin with the same bytes.
    let start = JSONText.bytes(of: .object(event("").value)).dropLast(2)
    bytes.reserveCapacity(bytes.count + lines.byteCount + lines.count * (start.count + 4))
    lines.forEach { line, _ in
      bytes += start
      if isPlain {
        JSONText.append(contentOf: line, to: &bytes)
      } else {
        let text = TerminalText.commandText(String(decoding: line, as: UTF8.self), keepsColors: keepsColors)
        JSONText.append(contentOf: text, to: &bytes)
      }
      bytes.append(UInt8(ascii: "\""))
      if let next = number {
        bytes += Self.numberMember
        JSONText.append(integer: next, to: &bytes)
        number = next + 1
      }
      bytes.append(UInt8(ascii: "}"))
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  private static let numberMember = Array(",\"\(RunRecollection.numberKey)\":".utf8)

  /// Splits the lines into the first ones, as counted by `first`, and the rest.
  func split(after first: (count: Int, bytes: Int)) -> (StepLines, StepLines) {
    let parts = lines.split(after: first)
    var (before, after) = (self, self)
    (before.lines, after.lines) = (parts.0, parts.1)
    return (before, after)
  }
}

/// A part of a run's event stream.
package enum RunPart: Sendable {
  case events([RunEvent])
  case lines(StepLines)

  /// The events, one for each output line.
  package var events: [RunEvent] {
    switch self {
    case .events(let events): events
    case .lines(let lines): lines.events
    }
  }
}

/// An observer that receives a step's output lines in groups, because commands may print millions of them.
package protocol LineObserver: RunObserver {
  /// Receives the next parts of the event stream. It is called instead of ``RunObserver/receive(_:)`` if the parts
  /// include lines.
  func receive(_ parts: [RunPart])
}

extension LineObserver {
  /// Receives each line as an event. Suitable for observers that show few lines.
  package func receive(_ parts: [RunPart]) {
    // Convert one part at a time, because events need much more memory than the text of short lines.
    for part in parts { receive(part.events) }
  }
}
