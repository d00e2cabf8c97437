import FlowModel

/// Finds the texts in a secret link that must be hidden.
package enum LinkTexts {
  /// Words that are also values of inputs and outputs. They are not hidden, even if a link contains them.
  private static let words: Set<String> = ["notification", "url-scheme", "universal-link", "internal"]

  /// Returns the strings in the values, at any depth, except words that need not be hidden.
  package static func all(in values: [Value], except isOwnWord: (String) -> Bool = { _ in false }) -> [String] {
    values.flatMap { value -> [String] in
      switch value {
      case .string(let text): words.contains(text) || isOwnWord(text) ? [] : [text]
      case .array(let values): all(in: values, except: isOwnWord)
      case .object(let members): all(in: members.map(\.1), except: isOwnWord)
      default: []
      }
    }
  }
}
