import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

/// An action's inputs are stored at the memory offsets of its fields, for all types, sizes and orders of fields.
struct InputMakingTests {
  enum Level: String, FieldWord { case low, high }

  /// Small fields next to large ones leave gaps in the struct. The outputs repeat the inputs.
  struct Mixed: Action {
    static let name = "test.mixed"
    static let summary = "Gives back what it is given"

    struct Input: ActionInput {
      @Field("A flag") var flag: Bool
      @Field("A text") var text: String = "default"
      @Field("A word") var theLevel: Level = .low
      @Field("Perhaps a flag") var perhaps: Bool?
      @Field("Durations") var durations: [Duration] = []
      @Field("A number") var number: Double?
      @Field("Anything") var anything: Value = .null
      @Field("A count") var count: Int = 7
    }

    struct Output: ActionOutput {
      var flag: Bool
      var text: String
      var level: Level
      var perhaps: Bool?
      var durations: [Duration]
      var number: Double?
      var anything: Value
      var count: Int
    }

    func run(_ input: Input, in context: ActionContext) -> Output {
      Output(
        flag: input.flag, text: input.text, level: input.theLevel, perhaps: input.perhaps, durations: input.durations,
        number: input.number, anything: input.anything, count: input.count)
    }
  }

  @Test func `each value is stored in its input field, and missing values have defaults`() async throws {
    let given: ValueObject = [
      "flag": true, "text": "given", "the-level": "high", "perhaps": false, "durations": ["1s", "20ms"], "number": 1.5,
      "anything": ["a": 1], "count": 3,
    ]
    var all = try await TestHost().call(Mixed.self, with: given)
    all["the-level"] = all["level"]
    all["level"] = nil
    #expect(all == given)
    let few = try await TestHost().call(Mixed.self, with: ["flag": false])
    #expect(few["text"] == "default" && few["level"] == "low" && few["count"] == 7)
    #expect(few["perhaps"] == .null && few["number"] == .null && few["durations"] == [])
  }

  @Test func `inputs of overlapping calls are kept separate`() async throws {
    let host = TestHost()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          let given: ValueObject = [
            "flag": .boolean(number % 2 == 0), "text": .string("t\(number)"), "count": .integer(number),
          ]
          let outputs = try await host.call(Mixed.self, with: given)
          #expect(outputs["text"] == .string("t\(number)") && outputs["count"] == .integer(number))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `missing and invalid inputs are reported by name`() async {
    let missing = await #expect(throws: (any Error).self) { try await TestHost().call(Mixed.self) }
    #expect("\(missing!)".contains("flag"))
    let wrong = await #expect(throws: (any Error).self) {
      try await TestHost().call(Mixed.self, with: ["flag": true, "the-level": "middle"])
    }
    #expect("\(wrong!)".contains("the-level"))
  }
}
