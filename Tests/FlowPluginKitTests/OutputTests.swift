import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

/// Outputs of an action whose declarations are derived from a struct.
struct `Outputs of an action` {
  struct Found: ActionOutput {
    var countryCode: String
    var population: Int
    var wait: Duration?
    static let summaries = ["country-code": "Two letters"]
  }

  struct Find: Action {
    static let name = "test.find"
    static let summary = "Finds a country"
    typealias Output = Found
    func run(_ input: NoInput, in context: ActionContext) throws -> Found { Found(countryCode: "ch", population: 9) }
  }

  @Test func `outputs of an action get the names of their properties, and optional ones may be missing`() {
    let declared = RegisteredAction(Find.self).declaration.outputs
    #expect(declared.map(\.name) == ["country-code", "population", "wait"])
    #expect(declared.map(\.type) == [.string, .integer, .duration])
    #expect(declared.map(\.isRequired) == [true, true, false])
    #expect(declared.map(\.summary) == ["Two letters", "", ""])
  }

  @Test func `outputs of an action contain the values of the struct`() async throws {
    let outputs = try await TestHost().call(Find.self)
    #expect(outputs == ["country-code": "ch", "population": 9, "wait": .null])
  }

  struct Mixed: ActionOutput {
    var isSmall: Bool
    var isLarge: Bool
    var count: Int
    var text: String?
    var missing: Int?
    var isLast: Bool
    var names: [String]
  }

  @Test func `outputs of an action are correct, whatever the size of the preceding properties`() {
    let output = Mixed(
      isSmall: false, isLarge: true, count: -7, text: "a", missing: nil, isLast: true, names: ["b", "c"])
    #expect(
      output.values == [
        "is-small": false, "is-large": true, "count": -7, "text": "a", "missing": nil, "is-last": true,
        "names": ["b", "c"],
      ])
  }

  @Test func `values survive encoding and decoding, with words for numbers that JSON cannot represent`() throws {
    let value: Value = ["a": [1, 2.5, true, .null, "text"], "b": ["c": [:]]]
    #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value)
    let odd: Value = [.number(.nan), .number(.infinity), .number(-.infinity)]
    #expect(String(decoding: try JSONEncoder().encode(odd), as: UTF8.self) == #"["NaN","Infinity","-Infinity"]"#)
  }
}
