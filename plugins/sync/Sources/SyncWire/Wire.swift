import FlowModel
import SyncCore
import SyncEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The messages between a device and a sync server. Commits, changes and their responses are packed like cells; errors,
/// the time and the identity of a store are JSON.
///
/// All received messages are validated. A problem is located by a path such as `operations[2]`. A packed response ends
/// with a checksum, because a message damaged in transit may still be readable. A request has a header for its
/// checksum.
package enum Wire {
  /// The reason why a body cannot be read.
  package struct WireProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The location of the problem as a path of keys.
    package var path: String
    /// The problem, without its location.
    package var message: String
    /// True if the sender uses a newer version.
    package var isOfTheFuture = false
    package var description: String { path.isEmpty ? message : "\(path) \(message)" }

    init(path: String, message: String) { (self.path, self.message) = (path, message) }

    init(_ error: PackingError, in path: String) {
      self.init(path: path, message: path.isEmpty ? "\(error)" : "is damaged: \(error)")
      if case .unsupportedFormat = error { isOfTheFuture = true }
    }
  }

  /// The name of the header with the version of the sender's messages.
  package static let versionHeader = "flowrun-sync-version"
  /// The version of these messages. Since version 2, cursors have tags, and a commit contains the furthest cursor.
  /// Since version 3, every record belongs to a collection, and devices do not report how far they have read. Since
  /// version 4, a device names its store. Since version 5, list elements can be moved. Since version 6, commits and
  /// changes are packed.
  package static let version = 6
  /// The message to a device with an earlier version.
  package static let needsNewer =
    "this sync server needs a flowrun whose messages have version \(version), as this server's own flowrun has; update flowrun on this device (what waits there is kept)"
  /// The message of a device about a server that uses an earlier version.
  package static let serverIsOlder =
    "the sync server is older than this flowrun; update flowrun-sync-server (what waits here is kept)"

  /// The name of the header with the store of a device's data. The header is absent if the device does not know a store
  /// yet.
  package static let storeHeader = "flowrun-sync-store"

  /// The content type of a packed body.
  package static let packedType = "application/octet-stream"

  /// The name of the header with a request's identifier. The response contains the same header.
  package static let requestHeader = "flowrun-request"

  // MARK: Commit

  /// Encodes a commit request. `heard` is the furthest cursor that the device has received.
  package static func body(of operations: [RecordOperation], heard: Cursor? = nil) -> [UInt8] {
    var packer = Packer()
    packer.byte(heard == nil ? 0 : 1)
    if let heard { pack(heard, &packer) }
    packer.count(operations.count)
    for operation in operations {
      pack(operation.key, &packer)
      packer.unsigned(UInt64(operation.expectedVersion))
      packer.unsigned(operation.group.map { UInt64($0) + 1 } ?? 0)
      switch operation.change {
      case .write(let write):
        packer.byte(0)
        packer.data(write.packed())
      case .join(let cell):
        packer.byte(1)
        packer.data(cell.packed())
      case .retire(let device):
        packer.byte(2)
        packer.text(device.name)
      }
    }
    return packer.bytes
  }

  /// Decodes a commit request: its operations and the furthest cursor that the device has received, or nil. The
  /// caller must have compared the header with the checksum before.
  package static func commit(
    _ body: [UInt8]
  ) throws(WireProblem) -> (operations: [RecordOperation], heard: Cursor?) {
    var reader = Unpacker(body)
    let heard = try part("heard", &reader) { reader throws(PackingError) in
      try reader.number("the number of cursors", in: 0...1) == 1 ? cursor(&reader) : nil
    }
    let operations = try list("operations", &reader, operation)
    try end(reader)
    return (operations, heard)
  }

  private static func operation(_ reader: inout Unpacker) throws(PackingError) -> RecordOperation {
    let key = try key(&reader)
    let expected = try reader.number("the expected version")
    let group = try reader.number("the transaction")
    let offset = reader.offset
    let change: RecordOperation.Change
    switch try reader.byte("the kind of change") {
    case 0: change = .write(try Write(packed: try reader.data("the write", limit: longest)))
    case 1: change = .join(try Cell(packed: try reader.data("the cell", limit: longest)))
    case 2: change = .retire(try device(&reader))
    case let kind:
      throw .malformed(
        at: offset, reading: "the kind of change", "is \(kind) and must be 0 (write), 1 (join) or 2 (retire)")
    }
    return RecordOperation(key: key, expectedVersion: expected, change: change, group: group == 0 ? nil : group - 1)
  }

  /// Encodes the response to a commit.
  package static func body(of reply: CommitReply) -> [UInt8] {
    var packer = Packer()
    pack(reply.cursor, &packer)
    packer.unsigned(UInt64(clamping: reply.serverMilliseconds))
    packer.count(reply.results.count)
    for result in reply.results { pack(result, &packer) }
    packer.seal()
    return packer.bytes
  }

  private static func pack(_ result: CommitResult, _ packer: inout Packer) {
    switch result {
    case .committed(let version, let sequence, let stamp):
      packer.byte(stamp == nil ? 0 : 1)
      packer.unsigned(UInt64(version))
      packer.unsigned(UInt64(sequence))
      guard let stamp else { return }
      packer.unsigned(UInt64(stamp.milliseconds))
      packer.unsigned(UInt64(stamp.counter))
      packer.text(stamp.device.name)
    case .unchanged: packer.byte(2)
    case .conflict(nil): packer.byte(3)
    case .conflict(let record?):
      packer.byte(4)
      pack(record, &packer)
    case .refused(.invalid(let message)):
      packer.byte(5)
      packer.text(message)
    case .refused(.tooManyDevices): packer.byte(6)
    case .refused(.nameTaken): packer.byte(7)
    case .refused(.mayBeCounted): packer.byte(8)
    case .refused(.tooLarge(let bytes)):
      packer.byte(9)
      packer.count(bytes)
    }
  }

  /// Decodes the response to a commit.
  package static func commitReply(_ body: [UInt8]) throws(WireProblem) -> CommitReply {
    var reader = try unsealed(body)
    let (reached, milliseconds) = try part("", &reader) { reader throws(PackingError) in
      (try cursor(&reader), try reader.number("the server's time"))
    }
    let results = try list("results", &reader, result)
    try end(reader)
    return CommitReply(results: results, cursor: reached, serverMilliseconds: milliseconds)
  }

  private static func result(_ reader: inout Unpacker) throws(PackingError) -> CommitResult {
    let offset = reader.offset
    switch try reader.byte("the result") {
    case let kind where kind < 2:
      return .committed(
        version: try reader.number("the version"), sequence: try reader.number("the sequence"),
        stamp: kind == 0 ? nil : try stamp(&reader))
    case 2: return .unchanged
    case 3: return .conflict(nil)
    case 4: return .conflict(try record(&reader))
    case 5: return .refused(.invalid(try reader.text("the reason", limit: longest)))
    case 6: return .refused(.tooManyDevices)
    case 7: return .refused(.nameTaken)
    case 8: return .refused(.mayBeCounted)
    case 9: return .refused(.tooLarge(bytes: try reader.count("the size", limit: .max)))
    case let kind: throw .malformed(at: offset, reading: "the result", "is \(kind), allowed are 0 to 9")
    }
  }

  private static func stamp(_ reader: inout Unpacker) throws(PackingError) -> Stamp {
    Stamp(
      milliseconds: try reader.number("the time of a stamp"),
      counter: UInt32(try reader.number("the counter of a stamp", in: 0...Int64(UInt32.max))),
      device: try device(&reader))
  }

  // MARK: Changes

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

  // MARK: Packed parts

  /// The maximum size in bytes of one value, above that of any body.
  private static let longest = 1 << 24

  private static func pack(_ cursor: Cursor, _ packer: inout Packer) {
    packer.unsigned(cursor.generation)
    packer.unsigned(UInt64(cursor.sequence))
    packer.unsigned(cursor.tag)
  }

  private static func cursor(_ reader: inout Unpacker) throws(PackingError) -> Cursor {
    Cursor(
      generation: try reader.unsigned("the generation of a cursor"), sequence: try reader.number("a cursor"),
      tag: try reader.unsigned("the tag of a cursor"))
  }

  private static func pack(_ key: RecordKey, _ packer: inout Packer) {
    packer.text(key.type)
    packer.text(key.name)
  }

  private static func key(_ reader: inout Unpacker) throws(PackingError) -> RecordKey {
    RecordKey(
      type: try reader.text("the type of a record", limit: longest),
      name: try reader.text("the name of a record", limit: longest))
  }

  private static func pack(_ record: SyncRecord, _ packer: inout Packer) {
    pack(record.key, &packer)
    packer.unsigned(UInt64(record.version))
    packer.unsigned(UInt64(record.sequence))
    packer.data(record.cell.packed())
  }

  private static func record(_ reader: inout Unpacker) throws(PackingError) -> SyncRecord {
    SyncRecord(
      key: try key(&reader), version: try reader.number("the version"), sequence: try reader.number("the sequence"),
      cell: try Cell(packed: try reader.data("the cell", limit: longest)))
  }

  private static func device(_ reader: inout Unpacker) throws(PackingError) -> DeviceID {
    let offset = reader.offset
    guard let device = DeviceID(try reader.text("a device's name", limit: DeviceID.maximumLength)) else {
      throw .malformed(at: offset, reading: "a device's name", "is not a device's name")
    }
    return device
  }

  /// Decodes a list. A problem is located by the path and the index of the element.
  private static func list<Element>(
    _ path: String, _ reader: inout Unpacker, _ element: (inout Unpacker) throws(PackingError) -> Element
  ) throws(WireProblem) -> [Element] {
    let count = try part(path, &reader) { reader throws(PackingError) in
      try reader.count("the length of the list", limit: 1 << 16)
    }
    var elements: [Element] = []
    for index in 0..<count {
      do throws(PackingError) {
        elements.append(try element(&reader))
      } catch {
        throw WireProblem(error, in: "\(path)[\(index)]")
      }
    }
    return elements
  }

  private static func part<Read>(
    _ path: String, _ reader: inout Unpacker, _ read: (inout Unpacker) throws(PackingError) -> Read
  ) throws(WireProblem) -> Read {
    do throws(PackingError) {
      return try read(&reader)
    } catch {
      throw WireProblem(error, in: path)
    }
  }

  private static func end(_ reader: Unpacker) throws(WireProblem) {
    if !reader.isAtEnd { throw WireProblem(path: "", message: "the message continues after its end") }
  }

  /// Verifies the checksum at the end of a response. Returns a reader of the bytes before it.
  private static func unsealed(_ body: [UInt8]) throws(WireProblem) -> Unpacker {
    do throws(PackingError) {
      return Unpacker(try Unpacker.unsealed(body))
    } catch {
      throw WireProblem(error, in: "")
    }
  }

  // MARK: Errors and the time

  /// Encodes an error with its code and description.
  package static func body(of error: BackendError) -> [UInt8] {
    var object = ValueObject([("code", .string(error.code)), ("message", .string(detail(of: error)))])
    if case .retry(let wait?) = error.remedy { object["retryAfterMilliseconds"] = .integer(Int(wait)) }
    if case .queueOnly(let wait?) = error.remedy { object["retryAfterMilliseconds"] = .integer(Int(wait)) }
    if case .otherStore(let store) = error { object["store"] = .string("\(store)") }
    return JSONText.bytes(of: .object(ValueObject([("error", .object(object))])))
  }

  /// Decodes an error. If the body is not an error object of the sync server, it comes from another program, such as a
  /// proxy. Such a response, or the response to another request (`isOfRequest` is false), does not show anything about
  /// the request. The request is then repeated, whatever the status.
  ///
  /// A server with an earlier `version` refuses messages that it cannot read, which does not show anything about the
  /// change. The device then waits until the server is updated.
  ///
  /// `retryAfter` is the header of that name. A date in it is compared with the response's own `date`, because the
  /// device's clock may be wrong by hours.
  package static func error(
    _ body: [UInt8], status: Int, isOfRequest: Bool = true, version: Int = version, retryAfter: String? = nil,
    date: String? = nil, nowMilliseconds now: Int64 = SystemClock().nowMilliseconds()
  ) -> BackendError {
    let error = refusal(
      body, status: status, isOfRequest: isOfRequest, retryAfter: retryAfter, date: date, nowMilliseconds: now)
    if version < Self.version, error.remedy == .split { return .unsupportedFormat(serverIsOlder) }
    return error
  }

  private static func refusal(
    _ body: [UInt8], status: Int, isOfRequest: Bool, retryAfter: String?, date: String?, nowMilliseconds now: Int64
  ) -> BackendError {
    let error = isOfRequest ? (try? object(body))?["error"]?.objectValue : nil
    let message =
      error?["message"]?.stringValue ?? "status \(status)\(words(body).map { ", '\($0)'" } ?? "")"
    let sent = date.flatMap { RetryAfter.secondsSince1970($0, nowMilliseconds: now) }.map { $0 * 1000 }
    let wait =
      error?["retryAfterMilliseconds"]?.integerValue.map { Int64($0) }
      ?? retryAfter.flatMap { RetryAfter.milliseconds($0, nowMilliseconds: sent ?? now) }
    guard let code = error?["code"]?.stringValue else {
      switch status {
      case 413: return .tooLargeForProxy(message)
      case 429: return .rateLimited(retryAfterMilliseconds: wait)
      case 503 where wait != nil: return .unavailable(message, retryAfterMilliseconds: wait ?? 0)
      default: return .unreachable("the answer is not a sync server's: \(message)")
      }
    }
    switch code {
    case "quota-exceeded": return .quotaExceeded(retryAfterMilliseconds: wait)
    case "rate-limited": return .rateLimited(retryAfterMilliseconds: wait)
    case "zone-missing": return .zoneMissing(message)
    case "cursor-expired": return .cursorExpired
    case "other-store":
      if let error, let store = try? store(error) { return .otherStore(store) }
    case "limit-exceeded": return .limitExceeded
    case "unsupported-format": return .unsupportedFormat(message)
    case "storage": return .storage(message)
    case "damaged": return .damaged(message)
    default: break
    }
    switch status {
    case 400, 404: return .invalid(message)
    case 401: return .notAuthenticated(message)
    case 403: return .forbidden(message)
    case 413: return .tooLarge
    case 429: return .rateLimited(retryAfterMilliseconds: wait)
    case 503: return wait.map { .unavailable(message, retryAfterMilliseconds: $0) } ?? .unreachable(message)
    default: return .unreachable(message)
    }
  }

  /// Returns the start of a response's body as a single line, or nil if the body is empty.
  private static func words(_ body: [UInt8]) -> String? {
    let text = String(decoding: body.prefix(80), as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    return text.isEmpty ? nil : text
  }

  /// Returns the HTTP status for an error.
  package static func status(of error: BackendError) -> Int {
    switch error {
    case .invalid, .limitExceeded, .unsupportedFormat, .damaged: 400
    case .notAuthenticated: 401
    case .forbidden: 403
    case .zoneMissing, .noRecordsFound: 404
    case .otherStore: 409
    case .cursorExpired: 410
    case .tooLarge, .tooLargeForProxy: 413
    case .quotaExceeded, .rateLimited: 429
    case .unreachable, .unavailable, .timedOut, .storage: 503
    }
  }

  private static func detail(of error: BackendError) -> String {
    switch error {
    case .zoneMissing(let zone): zone
    case .invalid(let text), .notAuthenticated(let text), .forbidden(let text), .unreachable(let text): text
    case .unavailable(let text, _), .damaged(let text): text
    default: "\(error)"
    }
  }

  /// Encodes the server's time.
  package static func body(ofServerTime milliseconds: Int64) -> [UInt8] {
    JSONText.bytes(of: .object(ValueObject([("serverMilliseconds", .integer(Int(milliseconds)))])))
  }

  /// Encodes the identity of the store.
  package static func body(of store: StoreIdentity) -> [UInt8] {
    JSONText.bytes(of: .object(ValueObject([("store", .string("\(store)"))])))
  }

  /// Decodes the identity of the store.
  package static func identity(_ body: [UInt8]) throws(WireProblem) -> StoreIdentity { try store(try object(body)) }

  /// Decodes the server's time.
  package static func serverTime(_ body: [UInt8]) throws(WireProblem) -> Int64 {
    guard let number = try object(body)["serverMilliseconds"]?.integerValue, number >= 0 else {
      throw WireProblem(path: "serverMilliseconds", message: "is missing or not a whole number from 0")
    }
    return Int64(number)
  }

  // MARK: Parts

  /// Decodes the store of a response.
  private static func store(_ object: ValueObject) throws(WireProblem) -> StoreIdentity {
    guard let store = object["store"]?.stringValue.flatMap({ StoreIdentity($0) }) else {
      throw WireProblem(path: "store", message: "is missing or not the identity of a store")
    }
    return store
  }

  private static func object(_ body: [UInt8]) throws(WireProblem) -> ValueObject {
    let value: Value
    do {
      value = try JSONText.parse(body)
    } catch {
      throw WireProblem(path: "", message: "the body is not JSON: \(error)")
    }
    guard let object = value.objectValue else { throw WireProblem(path: "", message: "the body is not a JSON object") }
    return object
  }

}
