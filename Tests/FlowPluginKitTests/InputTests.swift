import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

/// Inputs of an action whose declarations are derived from a struct.
struct `Inputs of an action` {
  enum Level: String, FieldWord { case city, province }

  struct Everything: ActionInput {
    @Field("A text", isSecret: true) var apiToken: String
    @Field("A whole number") var minimumPopulation: Int = 5
    @Field("A number") var ratio: Double = 0.5
    @Field("A switch") var isLoud: Bool = false
    @Field("A time") var pollInterval: Duration?
    @Field("A word") var level: Level = .city
    @Field("Texts") var names: [String] = []
    @Field("Whatever it is") var notificationID: Value = .null
    @Field("A place to write") var target: DataPath = DataPath("out")
    @Field("A place to read") var source: SourcePath?
    @Field("Members") var options: ValueObject = [:]
  }

  struct Echo: Action {
    typealias Output = AnyOutput
    static let name = "test.echo"
    static let summary = "Returns its inputs"
    typealias Input = Everything
    func run(_ input: Everything, in context: ActionContext) throws -> AnyOutput {
      AnyOutput([
        "token": .string(input.apiToken), "population": .integer(input.minimumPopulation), "ratio": input.ratio.value,
        "loud": input.isLoud.value, "interval": input.pollInterval.value, "level": input.level.value,
        "names": input.names.value, "id": input.notificationID, "target": input.target.value,
        "source": input.source.value, "options": input.options.value,
      ])
    }
  }

  private func outputs(_ inputs: ValueObject) async throws -> ValueObject {
    try await TestHost(dataFolder: "/data", workflowFolder: "/flow").call(Echo.self, with: inputs)
  }

  @Test func `inputs of an action get the names of their properties, as words with hyphens, in order`() {
    let declared = RegisteredAction(Echo.self).declaration.inputs
    #expect(
      declared.map(\.name) == [
        "api-token", "minimum-population", "ratio", "is-loud", "poll-interval", "level", "names", "notification-id",
        "target", "source", "options",
      ])
    #expect(declared.filter(\.isRequired).map(\.name) == ["api-token"])
    #expect(declared.filter(\.isSecret).map(\.name) == ["api-token"])
    #expect(declared.map(\.summary).first == "A text")
    let types: [ValueType] = [
      .string, .integer, .number, .boolean, .duration, .enumeration(["city", "province"], of: .string),
      .array(of: .string), .any, .path(base: .data), .path(base: .file), .object(properties: nil),
    ]
    #expect(declared.map(\.type) == types)
    #expect(declared.first { $0.name == "minimum-population" }?.defaultValue == 5)
    #expect(declared.first { $0.name == "poll-interval" }?.defaultValue == nil)
  }

  @Test func `inputs of an action get their defaults if a step does not set them`() async throws {
    let outputs = try await outputs(["api-token": "t"])
    #expect(
      outputs == [
        "token": "t", "population": 5, "ratio": 0.5, "loud": false, "interval": .null, "level": "city", "names": [],
        "id": .null, "target": "/data/out", "source": .null, "options": [:],
      ])
  }

  @Test func `inputs of an action have the values that a step sets, independently for each call`() async throws {
    let given: ValueObject = [
      "api-token": "t", "minimum-population": 7, "ratio": 2, "is-loud": true, "poll-interval": "1500ms",
      "level": "province", "names": ["a", "b"], "notification-id": ["x": 1], "target": "t", "source": "/s",
      "options": ["a": .null],
    ]
    let host = TestHost(dataFolder: "/data", workflowFolder: "/flow")
    let action = RegisteredAction(Echo.self)
    let outputs = try await host.call(action, with: given)
    #expect(
      outputs == [
        "token": "t", "population": 7, "ratio": 2.0, "loud": true, "interval": "1s500ms", "level": "province",
        "names": ["a", "b"], "id": ["x": 1], "target": "/data/t", "source": "/s", "options": ["a": .null],
      ])
    // The next call to the same action starts with the default again.
    #expect(try await host.call(action, with: ["api-token": "u"])["population"] == 5)
  }

  @Test(
    arguments: [
      ([:], "api-token", "nothing"),
      (["api-token": .null], "api-token", "nothing"),
      (["api-token": 5], "api-token", "5"),
      (["api-token": "t", "minimum-population": 1.5], "minimum-population", "1.5"),
      (["api-token": "t", "is-loud": "true"], "is-loud", "\"true\""),
      (["api-token": "t", "poll-interval": "soon"], "poll-interval", "\"soon\""),
      (["api-token": "t", "level": "town"], "level", "\"town\""),
      (["api-token": "t", "names": ["a", 2]], "names[1]", "2"),
      (["api-token": "t", "options": []], "options", "an empty list"),
    ] as [(ValueObject, String, String)])
  func `an input that does not have the declared type causes an error with its path and value`(
    _ inputs: ValueObject, _ path: String, _ found: String
  ) async throws {
    let error = await #expect(throws: TypeMismatch.self) { try await outputs(inputs) }
    #expect(error?.path == path)
    #expect(error?.found.contains(found) == true, "\(String(describing: error))")
  }

  struct SharedFields: ActionInput {
    @Field("A text") var text: String
    private static let made = SharedFields(new: ())
    init() { self = Self.made }
    private init(new: Void) {}
  }

  struct Careless: Action {
    static let name = "test.careless"
    static let summary = "Has inputs that all calls share"
    typealias Input = SharedFields
    func run(_ input: SharedFields, in context: ActionContext) throws -> NoOutput { NoOutput() }
  }

  @Test func `an action whose calls would share the same input objects causes an error`() async {
    let error = await #expect(throws: ActionError.self) {
      try await TestHost().call(Careless.self, with: ["text": "a"])
    }
    #expect(error?.code == "shared-inputs")
  }
}
