import FlowModel

/// Groups failures that are shown in the same panel.
package enum FailureGroups {
  /// Returns the failures in groups. Items of a step that failed for the same reason form a group, and every other
  /// failure forms its own group.
  ///
  /// Reasons are the same if the messages differ only in values of items, numbers or paths.
  package static func of(_ failures: [ReportedFailure]) -> [[ReportedFailure]] {
    var groups: [[ReportedFailure]] = []
    var places: [String: Int] = [:]
    for failure in failures {
      guard failure.item != nil else {
        groups.append([failure])
        continue
      }
      let reason = pattern(of: failure.message, value: failure.value)
      let key = "\(failure.step) \(failure.isTimedOut) \(failure.isExcused) \(failure.code) \(reason)"
      if let place = places[key] {
        groups[place].append(failure)
      } else {
        places[key] = groups.count
        groups.append([failure])
      }
    }
    return groups
  }

  /// Returns the words of a message, with placeholders for the item's value, paths and numbers.
  package static func pattern(of message: String, value: Value?) -> String {
    var text = message
    for word in names(of: value) { text = replacing(word, in: text) }
    let words = text.split { $0.isWhitespace || "'\"`()[]{}<>,;:=".contains($0) }
    return words.map { $0.contains("/") ? "/" : withoutNumbers($0) }.joined(separator: " ")
  }

  /// Returns the strings by which a message may refer to an item, the longest first. These are the strings in its value
  /// and, for a path, the file name with and without extension.
  private static func names(of value: Value?) -> [String] {
    var names: Set<String> = []
    func add(_ value: Value) {
      switch value {
      case .null, .boolean, .integer, .number: break
      case .string(let text):
        names.insert(text)
        let name = text.split(separator: "/").last.map(String.init) ?? ""
        names.insert(name)
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { names.insert(String(name[..<dot])) }
      case .array(let values): values.forEach(add)
      case .object(let members): members.forEach { add($0.value) }
      }
    }
    if let value { add(value) }
    return names.filter { !$0.isEmpty }.sorted { ($1.count, $0) < ($0.count, $1) }
  }

  /// Replaces a word by a placeholder, except inside longer words.
  private static func replacing(_ word: String, in text: String) -> String {
    var result = ""
    var rest = text.startIndex
    for range in text.ranges(of: word) {
      let isPart =
        range.lowerBound > text.startIndex && isInWord(text[text.index(before: range.lowerBound)])
        || range.upperBound < text.endIndex && isInWord(text[range.upperBound])
      result += text[rest..<range.lowerBound] + (isPart ? word : "…")
      rest = range.upperBound
    }
    return result + text[rest...]
  }

  private static func isInWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  private static func withoutNumbers(_ word: Substring) -> String {
    var result = ""
    var isInNumber = false
    for character in word {
      let continues = isInNumber && character == "."
      if !character.isNumber, !continues { result.append(character) } else if !isInNumber { result += "0" }
      isInNumber = character.isNumber || continues
    }
    return result
  }
}
