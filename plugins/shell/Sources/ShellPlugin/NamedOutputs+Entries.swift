import FlowModel

extension NamedOutputs {
  /// A value written by a command in the format of the `GITHUB_OUTPUT` file.
  ///
  /// An entry is a line `name=value`, or a line `name<<WORD` followed by the lines of the value and by a line `WORD`.
  /// Lines end with LF or CRLF; the last line may have no line break.
  struct NamedOutput: Hashable {
    var name: String
    var text: String
    /// The number of the entry's first line in the file, from 1.
    var line: Int
  }
}

extension NamedOutputs.NamedOutput {
  /// Parses the contents of the file. Returns the values in the order in which they were written.
  static func all(in bytes: [UInt8]) throws(NamedOutputs.OutputProblem) -> [NamedOutputs.NamedOutput] {
    if let offset = bytes.withUnsafeBufferPointer({ UTF8Check.firstInvalidOffset(in: $0) }) {
      let line = bytes[..<offset].count { $0 == UInt8(ascii: "\n") } + 1
      throw NamedOutputs.OutputProblem("is not UTF-8 in line \(line); encode binary values, such as with base64")
    }
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var lines = Lines(rest: bytes.starts(with: byteOrderMark) ? bytes.dropFirst(3) : bytes[...])
    var entries: [NamedOutputs.NamedOutput] = []
    while let line = lines.next()?.text {
      if line.isEmpty { continue }
      let number = lines.number
      let equals = line.firstIndex(of: UInt8(ascii: "="))
      let arrows = line.indices.dropLast().first {
        line[$0] == UInt8(ascii: "<") && line[$0 + 1] == UInt8(ascii: "<")
      }
      guard let end = [equals, arrows].compactMap(\.self).min(), end > line.startIndex else {
        throw notAnOutput(number, after: entries.last)
      }
      let name = String(decoding: line[..<end], as: UTF8.self)
      let text =
        end == equals
        ? String(decoding: line[(end + 1)...], as: UTF8.self)
        : try lines.value(endingWith: line[(end + 2)...], of: name)
      entries.append(NamedOutputs.NamedOutput(name: name, text: text, line: number))
    }
    return entries
  }

  private static func notAnOutput(_ number: Int, after last: NamedOutputs.NamedOutput?) -> NamedOutputs.OutputProblem {
    let help =
      last.map {
        "; if it belongs to '\($0.name)', write a value of several lines as \($0.name)<<END, its lines, and END"
      } ?? ""
    return NamedOutputs.OutputProblem("has a line \(number) that is not 'name=value'\(help)")
  }

  private struct Lines {
    var rest: ArraySlice<UInt8>
    var number = 0

    /// Returns the next line and its line break separately, or nil at the end.
    mutating func next() -> (text: ArraySlice<UInt8>, ending: ArraySlice<UInt8>)? {
      guard !rest.isEmpty else { return nil }
      number += 1
      let feed = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      let after = min(feed + 1, rest.endIndex)
      let hasReturn = feed < rest.endIndex && feed > rest.startIndex && rest[feed - 1] == UInt8(ascii: "\r")
      let end = hasReturn ? feed - 1 : feed
      defer { rest = rest[after...] }
      return (rest[..<end], rest[end..<after])
    }

    /// Returns the lines up to the line that equals `word`, without their last line break.
    mutating func value(
      endingWith word: ArraySlice<UInt8>, of name: String
    ) throws(NamedOutputs.OutputProblem) -> String {
      let first = number
      let shown = Value.string(String(decoding: word, as: UTF8.self)).shortText
      guard !word.isEmpty else {
        throw NamedOutputs.OutputProblem(
          "has no word after '<<' in line \(first); write \(name)<<END, the lines, and END")
      }
      var text: [UInt8] = []
      var ending: ArraySlice<UInt8> = []
      while let line = next() {
        if line.text == word { return String(decoding: text, as: UTF8.self) }
        text += ending + line.text
        ending = line.ending
      }
      throw NamedOutputs.OutputProblem("has no line \(shown) to end the value that begins in line \(first)")
    }
  }
}
