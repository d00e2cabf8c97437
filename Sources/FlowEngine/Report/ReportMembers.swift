import FlowModel

/// Reads the members of an object in a recorded report, and checks their types.
struct ReportMembers {
  let value: ValueObject
  /// True if missing members are replaced by a default, because the report may come from another version or program.
  private let allowsMissing: Bool
  private let path: String

  init(_ value: ValueObject, allowsMissing: Bool, at path: String = "") {
    self.value = value
    self.allowsMissing = allowsMissing
    self.path = path
  }

  func text(_ name: String) throws -> String { try member(name, "a text", "", \.stringValue) }
  func textOrNull(_ name: String) throws -> String? { try isNull(name) ? nil : text(name) }
  func integer(_ name: String) throws -> Int { try member(name, "an integer", 0, \.integerValue) }
  func number(_ name: String) throws -> Double { try member(name, "a number", 0, \.numberValue) }
  func numberOrNull(_ name: String) throws -> Double? { try isNull(name) ? nil : number(name) }
  func boolean(_ name: String) throws -> Bool { try member(name, "true or false", false, \.booleanValue) }

  func texts(_ name: String) throws -> [String] {
    try member(name, "a list of strings", []) { value in
      guard let elements = value.arrayValue else { return nil }
      let texts = elements.compactMap(\.stringValue)
      return texts.count == elements.count ? texts : nil
    }
  }

  func object(_ name: String) throws -> ReportMembers {
    ReportMembers(
      try member(name, "an object", [:], \.objectValue), allowsMissing: allowsMissing, at: path + name + ".")
  }

  func objects(_ name: String) throws -> [ReportMembers] {
    try member(name, "a list", [], \.arrayValue).enumerated().map { index, element in
      guard let object = element.objectValue else { throw problem("\(name)[\(index)]", "an object", element) }
      return ReportMembers(object, allowsMissing: allowsMissing, at: "\(path)\(name)[\(index)].")
    }
  }

  /// Reads a string that must be the `text` of one of the cases. Returns `usual` if the member is missing and missing
  /// members are allowed.
  func word<Word: CaseIterable>(_ name: String, _ usual: Word, _ text: (Word) -> String) throws -> Word {
    try member(name, "one of \(Word.allCases.map(text).joined(separator: ", "))", usual) { value in
      Word.allCases.first { text($0) == value.stringValue }
    }
  }

  func wordOrNull<Word: CaseIterable>(_ name: String, _ text: (Word) -> String) throws -> Word? {
    guard !isNull(name), let first = Word.allCases.first else { return nil }
    return try word(name, first, text)
  }

  func failure(_ name: String) throws -> StepFailure? {
    guard !isNull(name) else { return nil }
    let members = try object(name)
    return StepFailure(code: try members.text("code"), message: try members.text("message"))
  }

  /// Returns a step id without checking it, because ids in included workflows have characters that files do not allow.
  func step(_ text: String) -> StepID { StepID(unchecked: text) }

  func isNull(_ name: String) -> Bool { value[name]?.isNull ?? true }

  private func member<Content>(
    _ name: String, _ expected: @autoclosure () -> String, _ usual: Content, _ content: (Value) -> Content?
  ) throws -> Content {
    if allowsMissing, isNull(name) { return usual }
    guard let content = content(value[name] ?? .null) else { throw problem(name, expected(), value[name]) }
    return content
  }

  private func problem(_ name: String, _ expected: String, _ found: Value?) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: [],
        debugDescription: "'\(path)\(name)' in a report is \(expected), found \(found.map(\.shortText) ?? "nothing")"))
  }
}
