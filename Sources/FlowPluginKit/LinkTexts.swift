import FlowModel

/// The texts of a secret link that are hidden wherever a run shows or records one.
package enum LinkTexts {
  /// Words of outputs and inputs: a link that has one of them does not make it secret.
  private static let words: Set<String> = ["notification", "url-scheme", "universal-link", "internal"]

  /// Returns the texts in values, at any depth, without words that mean something elsewhere.
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
