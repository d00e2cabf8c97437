/// Common mistakes in a line of a workflow or in the block that begins with that line.
public enum SingleMistake: String, CaseIterable, Sendable {
  case noColon, noSpaceBehindColon, noQuote, noBracket, tabbedLine, tabbedBlock
  case lineOneIn, lineTwoIn, lineOneOut, lineTwoOut, blockOneIn, blockTwoIn, blockOneOut, blockTwoOut

  private var shift: (columns: Int, isBlock: Bool)? {
    switch self {
    case .lineOneIn: (1, false)
    case .lineTwoIn: (2, false)
    case .lineOneOut: (-1, false)
    case .lineTwoOut: (-2, false)
    case .blockOneIn: (1, true)
    case .blockTwoIn: (2, true)
    case .blockOneOut: (-1, true)
    case .blockTwoOut: (-2, true)
    case .noColon, .noSpaceBehindColon, .noQuote, .noBracket, .tabbedLine, .tabbedBlock: nil
    }
  }

  /// Returns `lines` with this mistake in the line at `number`, or nil if that line cannot contain the mistake.
  public func text(of lines: [String], at number: Int) -> String? {
    var lines = lines
    let line = lines[number]
    if Self.isRemark(line) { return nil }
    var end = number + 1
    while end < lines.count, Self.isEmpty(lines[end]) || Self.indentation(lines[end]) > Self.indentation(line) {
      end += 1
    }
    while end > number + 1, Self.isEmpty(lines[end - 1]) { end -= 1 }
    func remove(_ characters: String) -> Bool {
      guard let last = line.lastIndex(where: { characters.contains($0) }) else { return false }
      lines[number].remove(at: last)
      return true
    }
    switch self {
    case .noColon:
      guard let colon = line.firstIndex(of: ":") else { return nil }
      lines[number].remove(at: colon)
    case .noSpaceBehindColon:
      guard let place = line.firstRange(of: ": ") else { return nil }
      lines[number].replaceSubrange(place, with: ":")
    case .noQuote: guard remove("\"'") else { return nil }
    case .noBracket: guard remove("[]{}") else { return nil }
    case .tabbedLine, .tabbedBlock:
      guard Self.indentation(line) > 0 else { return nil }
      for index in number..<(self == .tabbedLine ? number + 1 : end) { lines[index] = Self.tabbed(lines[index]) }
    default:
      guard let (columns, isBlock) = shift, Self.indentation(line) + columns >= 0 else { return nil }
      if isBlock, end == number + 1 { return nil }
      for index in number..<(isBlock ? end : number + 1) where !Self.isEmpty(lines[index]) {
        let spaces = String(repeating: " ", count: Self.indentation(lines[index]) + columns)
        lines[index] = spaces + lines[index].drop { $0 == " " }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func isEmpty(_ line: String) -> Bool { line.allSatisfy { $0 == " " } }

  private static func isRemark(_ line: String) -> Bool {
    isEmpty(line) || line.drop { $0 == " " }.hasPrefix("#")
  }

  private static func indentation(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  private static func tabbed(_ line: String) -> String {
    String(repeating: "\t", count: indentation(line) / 2) + line.drop { $0 == " " }
  }
}
