import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

struct `A registry of actions` {
  struct Greet: Action {
    static let name = "greeting.greet"
    static let summary = "Greets"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput { NoOutput() }
  }

  struct Part: Action {
    static let name = "greeting.part"
    static let summary = "Says goodbye"
    func run(_ input: NoInput, in context: ActionContext) throws -> NoOutput { NoOutput() }
  }

  struct GreetingPlugin: Plugin {
    static let name = "greeting"
    var actions: [any ActionType.Type] { [Part.self, Greet.self] }
    var handles: [PluginHandle] { [PluginHandle("friend", 5)] }
  }

  private func other(_ name: String) -> RegisteredAction {
    RegisteredAction(
      declaration: ActionDeclaration(name: name, summary: ""), body: .synchronous { _, _ in ["said": .string(name)] })
  }

  @Test func `a registry finds each action by its full name only`() throws {
    var registry = ActionRegistry([GreetingPlugin()])
    try registry.register(name: "alpha", origin: "/plugins/alpha.yaml", actions: [other("alpha.z"), other("alpha.a")])
    #expect(registry.declarations.map(\.name) == ["alpha.a", "alpha.z", "greeting.greet", "greeting.part"])
    #expect(registry.plugins.map(\.name) == ["alpha", "greeting"])
    #expect(registry.plugins.map(\.origin) == ["/plugins/alpha.yaml", "built in"])
    #expect(registry.runHandles == ["friend"])
    #expect(registry.declaration(named: "greeting.greet")?.summary == "Greets")
    for name in ["greeting", "greeting.", "greeting.gree", "greeting.greets", "Greeting.greet", "beta.a", ""] {
      #expect(registry.declaration(named: name) == nil, "\(name)")
    }
  }

  @Test func `a registry refuses a second plugin with the same name and reports the origins of both`() throws {
    var registry = ActionRegistry([GreetingPlugin()])
    let error = #expect(throws: ActionRegistry.Conflict.self) {
      try registry.register(name: "greeting", origin: "/plugins/g.yaml", actions: [])
    }
    #expect(error?.description == "two plugins are named 'greeting': built in and /plugins/g.yaml")
    #expect(registry.plugins.count == 1)
  }

  @Test func `an action's error is described by its message and its code`() {
    #expect(ActionError("no-store", "there is no store").description == "there is no store [no-store]")
  }
}
