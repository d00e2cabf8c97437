import FlowModel

/// A language in which the names of countries and places are known.
///
/// Steps pass the language that an app has chosen for its user, so a well-formed tag of any other language is not an
/// error: English names are used, and the log and the output `language` report that.
package enum NameLanguage: String, Sendable, CaseIterable {
  case english = "en"
  case chinese = "zh"

  /// The error of an action whose input is not a language tag.
  package static let invalidDeclaration = ErrorDeclaration(
    "language-invalid", "The language is not a tag such as en or zh-Hans", isRetryable: false)

  /// Creates the language of a BCP 47 tag, such as `zh-Hans`. Returns nil if names are not known in it, or if the text
  /// is not a tag.
  init?(tag: String) {
    guard LanguageTag.isValid(tag), let language = tag.split(separator: "-").first else { return nil }
    self.init(rawValue: language.lowercased())
  }

  /// Returns the language in which names are shown for a tag, which may be written as in the locale `zh_CN`. If names
  /// are not known in the tag's language, logs a warning and returns English. Throws an ``ActionError`` if the text is
  /// not a tag.
  package static func choose(_ tag: String, in context: ActionContext) throws -> NameLanguage {
    let tag = String(tag.map { $0 == "_" ? "-" : $0 })
    if let known = NameLanguage(tag: tag) { return known }
    guard LanguageTag.isValid(tag) else {
      throw ActionError(
        invalidDeclaration.code, "'\(tag)' is not a language tag; write \(list)", isRetryable: false)
    }
    context.log(
      "names are not known in the language '\(tag)', only in \(list); using \(english.rawValue)", level: .warning)
    return .english
  }

  /// Returns the problem with a language that a step states literally.
  package static func problem(_ input: LiteralInput) -> [InputProblem] {
    guard let tag = input["language"]?.stringValue, NameLanguage(tag: tag) == nil else { return [] }
    return [InputProblem("language", "names are not known in the language '\(tag)'", help: "write \(list)")]
  }

  private static let list = "\(english.rawValue) or \(chinese.rawValue)"
}

/// The form of BCP 47 language tags, such as `zh-Hans`.
package enum LanguageTag {
  /// True if `text` has the form of a tag: a language of two or three letters, followed by at most three parts of two
  /// to eight letters or digits.
  package static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let language = parts.first, (2...3).contains(language.count), language.allSatisfy(isLetter) else {
      return false
    }
    return parts.count <= 4
      && parts.dropFirst().allSatisfy { (2...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
  }

  private static func isLetter(_ character: Character) -> Bool { character.isASCII && character.isLetter }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}
