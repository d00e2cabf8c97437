import SyncCore
import SyncEngine
import SyncWire
import Testing

/// The packed responses of a sync server.
struct ResponseTests {
  private static let record = SyncRecord(
    key: RecordKey(type: "notes", name: "a"), version: 3, sequence: 9, cell: Cell())
  private static let cursor = Cursor(generation: .max, sequence: 9, tag: .max)

  private static let reply = CommitReply(
    results: [
      .committed(
        version: 1, sequence: 2, stamp: Stamp(milliseconds: 5, counter: 7, device: DeviceID(stem: "x", random: 1))),
      .committed(version: 1, sequence: 2, stamp: nil), .unchanged, .conflict(nil), .conflict(record),
      .refused(.invalid("no")), .refused(.tooManyDevices), .refused(.nameTaken), .refused(.mayBeCounted),
      .refused(.tooLarge(bytes: 70_000)),
    ], cursor: cursor, serverMilliseconds: 1_704_628_800_000)

  private static let page = ChangePage(
    store: StoreIdentity(number: 1), records: [record], cursor: cursor, hasMore: true, serverMilliseconds: 5,
    dropped: Dropped(sequence: 4, incarnation: 2))

  @Test func `responses are transmitted unchanged`() throws {
    #expect(try Wire.commitReply(Wire.body(of: Self.reply)) == Self.reply)
    #expect(try Wire.page(Wire.body(of: Self.page)) == Self.page)
    let event = try #require(Wire.text(of: Self.page, since: Self.cursor))
    #expect(try Wire.changes(event) == .changes(Self.page, since: Self.cursor))
  }

  @Test func `responses are refused if a byte has changed, is missing or appears twice`() {
    func check(_ body: [UInt8], _ read: ([UInt8]) throws -> Void) {
      for index in body.indices {
        var changed = body
        changed[index] ^= 0x10
        for damaged in [changed, Array(body[..<index]), Array(body[...index] + body[index...])] {
          #expect(throws: Wire.WireProblem.self) { try read(damaged) }
        }
      }
    }
    check(Wire.body(of: Self.reply)) { _ = try Wire.commitReply($0) }
    check(Wire.body(of: Self.page)) { _ = try Wire.page($0) }
  }

  @Test func `a page of changes that is too large for an event is not encoded as an event`() {
    var page = Self.page
    page.records = Array(repeating: Self.record, count: 4000)
    #expect(Wire.text(of: page, since: Self.cursor) == nil)
  }
}
