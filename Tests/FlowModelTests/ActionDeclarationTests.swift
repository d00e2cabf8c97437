import FlowModel
import Testing

/// The events that a step can post according to the declaration of its action.
struct ActionDeclarationTests {
  @Test func `a step can post the declared events and the event that one of its inputs names`() {
    var declaration = ActionDeclaration(name: "test.post", summary: "Posts", events: ["always"])
    #expect(declaration.eventsPosted(with: ["event": "one"]) == ["always"])
    declaration.eventFromInput = "event"
    #expect(declaration.eventsPosted(with: ["event": "one"]) == ["always", "one"])
    #expect(declaration.eventsPosted(with: [:]) == ["always"])
    #expect(declaration.eventsPosted(with: ["event": 7]) == ["always"])
  }
}
