import FlowDiagnostics
import FlowEngine
import FlowModel

/// A line in the log of a run, as web pages show it.
package struct PageLine: Sendable {
  package enum Kind: Int, Sendable {
    /// The step has printed or logged this line.
    case output
    /// The step has printed this line to standard error.
    case error
    /// The line stands for lines that have not been recorded.
    case leftOut
  }

  /// The id of the step or item that printed the line, or the name of the plugin.
  package let source: String
  /// The time from the start of the run until the line was printed, in milliseconds.
  package let at: Value
  package let kind: Kind
  /// The text in pieces, each with a single color and style.
  package let pieces: [ColoredText.Piece]

  /// The text without colors.
  package var text: String { pieces.map(\.text).joined() }

  /// Returns the lines of a log in order. A message with line breaks is converted to several lines.
  package static func all(of lines: [ValueObject]) -> [PageLine] {
    lines.flatMap { line -> [PageLine] in
      guard let message = line["message"]?.stringValue else { return [] }
      let source = line["step"]?.stringValue ?? line["plugin"]?.stringValue ?? "flowrun"
      let at = line["at"] ?? .null
      let stream = line["stream"]?.stringValue
      if stream == nil, let text = leftOut(message) {
        return [PageLine(source: source, at: at, kind: .leftOut, pieces: ColoredText.pieces(of: text))]
      }
      let kind: Kind = stream == "stderr" ? .error : .output
      return split(ColoredText.pieces(of: message)).map {
        PageLine(source: source, at: at, kind: kind, pieces: $0)
      }
    }
  }

  /// Returns lines as text. If `step` is not nil, only the lines of that step or item and of its items are included.
  package static func text(_ lines: [PageLine], ofStep step: String?) -> String {
    var text = ""
    for line in lines {
      if let step {
        guard line.source == step || line.source.hasPrefix("\(step)[") else { continue }
        text += "\(line.text)\n"
      } else {
        text += "\(line.source): \(line.text)\n"
      }
    }
    return text
  }

  /// Returns the text for a recorded placeholder: `[flowrun: 12 lines, 345 bytes, are not recorded; a larger log-limit
  /// keeps more]`. Returns nil for any other line.
  private static func leftOut(_ message: String) -> String? {
    guard message.hasPrefix("[flowrun: "), message.hasSuffix("]"), let end = message.firstRange(of: " not recorded")
    else {
      return nil
    }
    let words = message[..<end.lowerBound].dropFirst("[flowrun: ".count).split(separator: " ")
    guard words.count == 3 || words.count == 5, let count = Int(words[0]) else { return nil }
    let size = words.count == 5 ? " (\(words[2]) bytes)" : ""
    let remedy = message[end.upperBound...].dropLast().drop { $0 == ";" }
    return "\(count == 1 ? "1 line" : "\(count) lines") left out\(size)\(remedy.isEmpty ? "" : ":\(remedy)")"
  }

  private static func split(_ pieces: [ColoredText.Piece]) -> [[ColoredText.Piece]] {
    var lines: [[ColoredText.Piece]] = [[]]
    for piece in pieces {
      for (number, part) in piece.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        if number > 0 { lines.append([]) }
        guard !part.isEmpty else { continue }
        var own = piece
        own.text = String(part)
        lines[lines.count - 1].append(own)
      }
    }
    return lines
  }
}
