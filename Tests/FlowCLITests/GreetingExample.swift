import FlowPluginKit

/// A plugin for greetings.
public struct GreetingPlugin: Plugin {
  /// The part of the action's name before the dot.
  public static let name = "greeting"
  /// Creates the plugin without side effects.
  public init() {}
  /// The actions of the plugin.
  public var actions: [any ActionType.Type] { [Greet.self] }
}

/// Greets a person.
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
