import SyncCore
import SyncEngine
import Testing

@testable import SyncWire

/// The requests and responses of a device with a part of a zone.
struct SubscriptionTests {
  private static let page = ChangePage(
    store: StoreIdentity(number: 1), records: [], cursor: Cursor(generation: 1, sequence: 7), hasMore: false,
    serverMilliseconds: 5,
    others: [RecordMention(key: RecordKey(type: "notes", name: "a"), sequence: 7)])

  @Test func `a subscription and the list of records outside of it are transmitted unchanged`() throws {
    let wanted = SyncSubscription(["notes": ["folder": .text("ü/+=&"), "open": .null], "folders": [:]])
    #expect(try Wire.subscription(Wire.text(of: wanted)) == wanted)
    #expect(try Wire.page(Wire.body(of: Self.page, isPartial: true), isPartial: true) == Self.page)
  }

  @Test func `a partial page without the list of records outside the subscription is refused`() {
    let problem = #expect(throws: Wire.WireProblem.self) { try Wire.page(Wire.body(of: Self.page), isPartial: true) }
    #expect(problem?.path == "others")
  }

  @Test(arguments: ["!", "AQ==", "////"]) func `an invalid subscription is refused`(_ text: String) {
    #expect(throws: Wire.WireProblem.self) { try Wire.subscription(text) }
  }
}
