import SyncCore
import SyncEngine
import Testing

@testable import SyncWire

/// What a device asks for and hears that holds a part of a zone, on the way.
@Suite struct SubscriptionTests {
  private static let page = ChangePage(
    store: StoreIdentity(number: 1), records: [], cursor: Cursor(generation: 1, sequence: 7), hasMore: false,
    serverMilliseconds: 5,
    others: [RecordMention(key: RecordKey(type: "notes", name: "a"), sequence: 7)])

  @Test func `a subscription and what it leaves out arrive as they were sent`() throws {
    let wanted = SyncSubscription(["notes": ["folder": .text("ü/+=&"), "open": .null], "folders": [:]])
    #expect(try Wire.subscription(Wire.text(of: wanted)) == wanted)
    #expect(try Wire.page(Wire.body(of: Self.page, isPartial: true), isPartial: true) == Self.page)
  }

  @Test func `a page of a part that does not name what it leaves out is refused`() {
    let problem = #expect(throws: Wire.WireProblem.self) { try Wire.page(Wire.body(of: Self.page), isPartial: true) }
    #expect(problem?.path == "others")
  }

  @Test(arguments: ["!", "AQ==", "////"]) func `what is not a subscription is refused`(_ text: String) {
    #expect(throws: Wire.WireProblem.self) { try Wire.subscription(text) }
  }
}
