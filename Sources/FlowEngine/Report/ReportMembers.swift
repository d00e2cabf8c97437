import FlowModel

/// Reads the members of an object in a recorded report, and checks their types.
struct ReportMembers {
  let value: ValueObject
  private let path: String

  init(_ value: ValueObject, at path: String = "") {
    self.value = value
    self.path = path
  }

  func text(_ name: String) throws -> String { try member(name, "a text", \.stringValue) }
  func textOrNull(_ name: String) throws -> String? { try isNull(name) ? nil : text(name) }
  func integer(_ name: String) throws -> Int { try member(name, "an integer", \.integerValue) }
  func number(_ name: String) throws -> Double { try member(name, "a number", \.numberValue) }
  func numberOrNull(_ name: String) throws -> Double? { try isNull(name) ? nil : number(name) }
  func boolean(_ name: String) throws -> Bool { try member(name, "true or false", \.booleanValue) }

  func texts(_ name: String) throws -> [String] {
    try member(name, "a list of strings") { value in
      guard let elements = value.arrayValue else { return nil }
      let texts = elements.compactMap(\.stringValue)
      return texts.count == elements.count ? texts : nil
    }
  }

  func object(_ name: String) throws -> ReportMembers {
    ReportMembers(try member(name, "an object", \.objectValue), at: path + name + ".")
  }

  func objects(_ name: String) throws -> [ReportMembers] {
    try member(name, "a list", \.arrayValue).enumerated().map { index, element in
      guard let object = element.objectValue else { throw problem("\(name)[\(index)]", "an object", element) }
      return ReportMembers(object, at: "\(path)\(name)[\(index)].")
    }
  }

  /// Reads a string that must be the `text` of one of the cases.
  func word<Word: CaseIterable>(_ name: String, _ text: (Word) -> String) throws -> Word {
    let words = Word.allCases.map(text)
    return try member(name, "one of \(words.joined(separator: ", "))") { value in
      Word.allCases.first { text($0) == value.stringValue }
    }
  }

  func wordOrNull<Word: CaseIterable>(_ name: String, _ text: (Word) -> String) throws -> Word? {
    try isNull(name) ? nil : word(name, text)
  }

  func failure(_ name: String) throws -> StepFailure? {
    guard !isNull(name) else { return nil }
    let members = try object(name)
    return StepFailure(code: try members.text("code"), message: try members.text("message"))
  }

  /// Returns a step id without checking it, because ids in included workflows have characters that files do not allow.
  func step(_ text: String) -> StepID { StepID(unchecked: text) }

  private func isNull(_ name: String) -> Bool { value[name]?.isNull ?? true }

  private func member<Content>(_ name: String, _ expected: String, _ content: (Value) -> Content?) throws -> Content {
    guard let content = content(value[name] ?? .null) else { throw problem(name, expected, value[name]) }
    return content
  }

  private func problem(_ name: String, _ expected: String, _ found: Value?) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: [],
        debugDescription: "'\(path)\(name)' in a report is \(expected), found \(found.map(\.shortText) ?? "nothing")"))
  }
}
