import FlowModel
import Testing

/// What a declaration says of the events that a step may post.
struct ActionDeclarationTests {
  @Test func `a step may post what its action declares, and the event that an input of it names`() {
    var declaration = ActionDeclaration(name: "test.post", summary: "Posts", events: ["always"])
    #expect(declaration.eventsPosted(with: ["event": "one"]) == ["always"])
    declaration.eventFromInput = "event"
    #expect(declaration.eventsPosted(with: ["event": "one"]) == ["always", "one"])
    #expect(declaration.eventsPosted(with: [:]) == ["always"])
    #expect(declaration.eventsPosted(with: ["event": 7]) == ["always"])
  }
}
