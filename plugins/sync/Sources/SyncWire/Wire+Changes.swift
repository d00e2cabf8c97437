import SyncCore
import SyncEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Wire {
  /// Encodes a subscription for the URL of a request for changes.
  package static func text(of subscription: SyncSubscription) -> String {
    Data(subscription.packed()).base64EncodedString()
  }

  /// Decodes a subscription from the URL of a request for changes.
  package static func subscription(_ text: String) throws(WireProblem) -> SyncSubscription {
    guard let bytes = Data(base64Encoded: text) else {
      throw WireProblem(path: "subscribe", message: "is not base64")
    }
    let read: SyncSubscription
    do throws(PackingError) {
      read = try SyncSubscription(packed: Array(bytes))
    } catch {
      throw WireProblem(error, in: "subscribe")
    }
    if read.packed().count > SyncSubscription.maximumBytes {
      throw WireProblem(path: "subscribe", message: "has more than \(SyncSubscription.maximumBytes) bytes")
    }
    return read
  }

  /// Encodes a page of changes. `isPartial` must be true if the request contains a subscription.
  package static func body(of page: ChangePage, isPartial: Bool = false) -> [UInt8] {
    var packer = Packer()
    pack(page, isPartial: isPartial, &packer)
    packer.seal()
    return packer.bytes
  }

  /// The maximum size of an event on a live channel, in bytes. A device must fetch larger changes.
  package static let eventBytes = 65_536

  /// Encodes changes as the text of an event of a live channel, which cannot contain bytes. Returns nil if they are
  /// too large.
  package static func text(of page: ChangePage, since cursor: Cursor) -> String? {
    guard page.records.reduce(0, { $0 + $1.cell.packedBytes }) < eventBytes / 2 else { return nil }
    var packer = Packer()
    pack(cursor, &packer)
    pack(page, isPartial: false, &packer)
    packer.seal()
    let text = Data(packer.bytes).base64EncodedString()
    return text.utf8.count <= eventBytes ? text : nil
  }

  /// Decodes changes from a live channel.
  package static func changes(_ text: some StringProtocol) throws(WireProblem) -> ChannelSign {
    guard let bytes = Data(base64Encoded: Data(text.utf8)) else {
      throw WireProblem(path: "", message: "the event is not base64")
    }
    var reader = try unsealed(Array(bytes))
    let since = try part("since", &reader, cursor)
    return .changes(try page(&reader, isPartial: false), since: since)
  }

  private static func pack(_ page: ChangePage, isPartial: Bool, _ packer: inout Packer) {
    packer.text("\(page.store)")
    pack(page.cursor, &packer)
    packer.byte((page.hasMore ? 1 : 0) | (isPartial ? 2 : 0))
    packer.unsigned(UInt64(clamping: page.serverMilliseconds))
    packer.unsigned(UInt64(page.dropped.sequence))
    packer.unsigned(UInt64(page.dropped.incarnation))
    packer.count(page.records.count)
    for record in page.records { pack(record, &packer) }
    guard isPartial else { return }
    packer.count(page.others.count)
    for other in page.others {
      pack(other.key, &packer)
      packer.unsigned(UInt64(other.sequence))
    }
  }

  /// Decodes a page of changes. `isPartial` must be true if the request contained a subscription.
  package static func page(_ body: [UInt8], isPartial: Bool = false) throws(WireProblem) -> ChangePage {
    var reader = try unsealed(body)
    return try page(&reader, isPartial: isPartial)
  }

  private static func page(_ reader: inout Unpacker, isPartial: Bool) throws(WireProblem) -> ChangePage {
    let (beginning, parts) = try part("", &reader, head)
    if isPartial, parts & 2 == 0 { throw WireProblem(path: "others", message: "is missing") }
    var whole = beginning
    whole.records = try list("records", &reader, record)
    if parts & 2 != 0 {
      whole.others = try list("others", &reader) { reader throws(PackingError) in
        RecordMention(key: try key(&reader), sequence: try reader.number("the sequence"))
      }
    }
    try end(reader)
    return whole
  }

  /// Decodes a page up to its records, and its parts.
  private static func head(_ reader: inout Unpacker) throws(PackingError) -> (ChangePage, parts: UInt8) {
    let offset = reader.offset
    guard let store = StoreIdentity(try reader.text("the store", limit: StoreIdentity.length)) else {
      throw .malformed(at: offset, reading: "the store", "is not the identity of a store")
    }
    let cursor = try cursor(&reader)
    let parts = try reader.byte("the parts of the page")
    let milliseconds = try reader.number("the server's time")
    let dropped = Dropped(
      sequence: try reader.number("the last deletion that was forgotten"),
      incarnation: try reader.number("the incarnation in which records begin"))
    let page = ChangePage(
      store: store, records: [], cursor: cursor, hasMore: parts & 1 == 1, serverMilliseconds: milliseconds,
      dropped: dropped)
    return (page, parts)
  }
}
