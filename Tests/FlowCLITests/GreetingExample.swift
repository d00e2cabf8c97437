import FlowPluginKit

/// Greetings.
public struct GreetingPlugin: Plugin {
  /// The name before the dot.
  public static let name = "greeting"
  /// A plugin is made without doing anything.
  public init() {}
  /// What it brings.
  public var actions: [any ActionType.Type] { [Greet.self] }
}

/// Greets somebody.
struct Greet: Action {
  static let name = "greeting.greet"
  static let summary = "Greets somebody"
  static let example = "uses: greeting.greet\nwith: { who: world }"
  struct Input: ActionInput {
    @Field("Whom to greet") var who: String
    @Field("How often") var times: Int = 1
  }
  struct Output: ActionOutput { var text: String }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    context.log("greeting \(input.who)")
    return Output(text: Array(repeating: "Hello, \(input.who)", count: input.times).joined(separator: "; "))
  }
}
