import TestSupport
import Testing

/// The members of `DetailedAction` have no effect in an action that does not conform to it.
struct `The details of actions` {
  private static let names =
    "eventValues|follows|source|needsProtectedData|outputsFromInput|outputFieldsFromInput|eventFromInput|shellTextInput|"
    + "calls|outputLimitBytes"

  @Test func `only actions that conform to DetailedAction declare its members`() throws {
    let members = try Regex(
      #"static (?:let|var) (?:\#(Self.names))\b|static func check\(_ input: LiteralInput\)|func bodyInParts\(\)"#)
    let files = Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    let found = try files.filter { try Repository.text($0).contains(members) }
    #expect(found.count > 20)
    let wrong = try found.filter { try !Repository.text($0).contains(", DetailedAction {") }
    #expect(wrong.isEmpty, "\(wrong)")
  }
}
