import FlowModel
import SyncCore
import SyncEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The messages between a device and a sync server: JSON with packed cells.
///
/// All received messages are validated. A problem is located by a path such as `operations[2].expectedVersion`.
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
  }

  /// The name of the header with the version of the sender's messages.
  package static let versionHeader = "flowrun-sync-version"
  /// The version of these messages. Since version 2, cursors have tags, and a commit contains the furthest cursor.
  /// Since version 3, every record belongs to a collection, and devices do not report how far they have read. Since
  /// version 4, a device names its store. Since version 5, list elements can be moved.
  package static let version = 5
  /// The message to a device that uses an earlier version.
  package static let needsNewer =
    "this sync server needs a flowrun whose messages have version \(version), as this server's own flowrun has; update flowrun on this device (what waits there is kept)"
  /// The message of a device about a server that uses an earlier version.
  package static let serverIsOlder =
    "the sync server is older than this flowrun; update flowrun-sync-server (what waits here is kept)"

  /// The name of the header with the store of a device's data. The header is absent if the device does not know a store
  /// yet.
  package static let storeHeader = "flowrun-sync-store"

  /// The name of the header with a request's identifier. The response contains the same header.
  package static let requestHeader = "flowrun-request"

  // MARK: Commit

  /// Encodes a commit request. `heard` is the furthest cursor that the device has received.
  package static func body(of operations: [RecordOperation], heard: Cursor? = nil) -> [UInt8] {
    let values = operations.map { operation -> Value in
      var object = ValueObject([
        ("type", .string(operation.key.type)), ("name", .string(operation.key.name)),
        ("expectedVersion", .integer(Int(operation.expectedVersion))),
      ])
      switch operation.change {
      case .write(let write): object["write"] = .string(base64(write.packed()))
      case .join(let cell): object["join"] = .string(base64(cell.packed()))
      case .retire(let device): object["retire"] = .string(device.name)
      }
      if let group = operation.group { object["transaction"] = .integer(Int(group)) }
      return .object(object)
    }
    var object = ValueObject([("operations", .array(values))])
    if let heard { object["heard"] = .string("\(heard)") }
    return JSONText.bytes(of: .object(object))
  }

  /// Decodes a commit request: its operations and the furthest cursor that the device has received, or nil.
  package static func commit(
    _ body: [UInt8]
  ) throws(WireProblem) -> (operations: [RecordOperation], heard: Cursor?) {
    let root = try object(body)
    guard let list = root["operations"]?.arrayValue else {
      throw WireProblem(path: "operations", message: "is missing or not an array")
    }
    var operations: [RecordOperation] = []
    for (index, value) in list.enumerated() {
      let path = "operations[\(index)]"
      guard let member = value.objectValue else { throw WireProblem(path: path, message: "is not an object") }
      let key = try key(member, path)
      let expected = try integer(member, "expectedVersion", path)
      let change = try change(member, path)
      let group = member["transaction"] == nil ? nil : try integer(member, "transaction", path)
      operations.append(RecordOperation(key: key, expectedVersion: expected, change: change, group: group))
    }
    guard let heard = root["heard"] else { return (operations, nil) }
    guard let cursor = heard.stringValue.flatMap({ Cursor($0) }) else {
      throw WireProblem(path: "heard", message: "is not a cursor")
    }
    return (operations, cursor)
  }

  private static func change(_ member: ValueObject, _ path: String) throws(WireProblem) -> RecordOperation.Change {
    switch (member["write"], member["join"], member["retire"]) {
    case (let write?, nil, nil):
      return .write(try packed(write, "\(path).write") { bytes throws(PackingError) in try Write(packed: bytes) })
    case (nil, let join?, nil):
      return .join(try packed(join, "\(path).join") { bytes throws(PackingError) in try Cell(packed: bytes) })
    case (nil, nil, let device?):
      guard let device = device.stringValue.flatMap({ DeviceID($0) }) else {
        throw WireProblem(path: "\(path).retire", message: "is not a device's name")
      }
      return .retire(device)
    default: throw WireProblem(path: path, message: "needs either 'write', 'join' or 'retire'")
    }
  }

  /// Encodes the response to a commit.
  package static func body(of reply: CommitReply) -> [UInt8] {
    let results = reply.results.map { result -> Value in
      switch result {
      case .committed(let version, let sequence, let stamp):
        return .object([
          "result": "committed", "version": .integer(Int(version)), "sequence": .integer(Int(sequence)),
          "stamp": stamp.map {
            .array([.integer(Int($0.milliseconds)), .integer(Int($0.counter)), .string($0.device.name)])
          } ?? .null,
        ])
      case .unchanged: return .object(ValueObject([("result", .string("unchanged"))]))
      case .conflict(let record):
        return .object(
          ValueObject([("result", .string("conflict")), ("record", record.map { .object(value(of: $0)) } ?? .null)]))
      case .refused(let refusal): return .object(value(of: refusal))
      }
    }
    return JSONText.bytes(
      of: .object(
        ValueObject([
          ("cursor", .string("\(reply.cursor)")),
          ("serverMilliseconds", .integer(Int(reply.serverMilliseconds))), ("results", .array(results)),
        ])))
  }

  /// Decodes the response to a commit.
  package static func commitReply(_ body: [UInt8]) throws(WireProblem) -> CommitReply {
    let root = try object(body)
    let cursor = try cursor(root)
    guard let list = root["results"]?.arrayValue else {
      throw WireProblem(path: "results", message: "is missing or not an array")
    }
    var results: [CommitResult] = []
    for (index, value) in list.enumerated() {
      guard let member = value.objectValue else {
        throw WireProblem(path: "results[\(index)]", message: "is not an object")
      }
      results.append(try result(member, "results[\(index)]"))
    }
    return CommitReply(
      results: results, cursor: cursor, serverMilliseconds: try integer(root, "serverMilliseconds", ""))
  }

  /// Decodes the cursor of a response.
  private static func cursor(_ root: ValueObject) throws(WireProblem) -> Cursor {
    guard let cursor = root["cursor"]?.stringValue.flatMap({ Cursor($0) }) else {
      throw WireProblem(path: "cursor", message: "is missing or not a cursor")
    }
    return cursor
  }

  /// Decodes the store of a response.
  private static func store(_ object: ValueObject) throws(WireProblem) -> StoreIdentity {
    guard let store = object["store"]?.stringValue.flatMap({ StoreIdentity($0) }) else {
      throw WireProblem(path: "store", message: "is missing or not the identity of a store")
    }
    return store
  }

  private static func result(_ member: ValueObject, _ path: String) throws(WireProblem) -> CommitResult {
    switch member["result"]?.stringValue {
    case "committed":
      return .committed(
        version: try integer(member, "version", path), sequence: try integer(member, "sequence", path),
        stamp: try stamp(member, path))
    case "unchanged": return .unchanged
    case "conflict":
      guard let record = member["record"]?.objectValue else { return .conflict(nil) }
      return .conflict(try self.record(record, "\(path).record"))
    case "refused":
      switch member["reason"]?.stringValue {
      case "too-many-devices": return .refused(.tooManyDevices)
      case "name-taken": return .refused(.nameTaken)
      case "may-be-counted": return .refused(.mayBeCounted)
      case "too-large":
        return .refused(.tooLarge(bytes: Int(try integer(member, "bytes", path))))
      default: return .refused(.invalid(member["message"]?.stringValue ?? "no reason given"))
      }
    default: throw WireProblem(path: "\(path).result", message: "is not one of committed, unchanged, conflict, refused")
    }
  }

  private static func stamp(_ member: ValueObject, _ path: String) throws(WireProblem) -> Stamp? {
    guard let value = member["stamp"], value != .null else { return nil }
    guard let parts = value.arrayValue, parts.count == 3, let milliseconds = parts[0].integerValue,
      let counter = parts[1].integerValue.flatMap({ UInt32(exactly: $0) }),
      let device = parts[2].stringValue.flatMap({ DeviceID($0) })
    else { throw WireProblem(path: "\(path).stamp", message: "is not a stamp") }
    return Stamp(milliseconds: Int64(milliseconds), counter: counter, device: device)
  }

  private static func value(of refusal: Arbiter.Refusal) -> ValueObject {
    var object = ValueObject([("result", .string("refused"))])
    switch refusal {
    case .invalid(let message):
      object["reason"] = "invalid"
      object["message"] = .string(message)
    case .tooManyDevices: object["reason"] = "too-many-devices"
    case .nameTaken: object["reason"] = "name-taken"
    case .mayBeCounted: object["reason"] = "may-be-counted"
    case .tooLarge(let bytes):
      object["reason"] = "too-large"
      object["bytes"] = .integer(bytes)
    }
    return object
  }

  // MARK: Changes

  /// Encodes a subscription for the URL of a request for changes.
  package static func text(of subscription: SyncSubscription) -> String { base64(subscription.packed()) }

  /// Decodes a subscription from the URL of a request for changes.
  package static func subscription(_ text: String) throws(WireProblem) -> SyncSubscription {
    let read = try packed(.string(text), "subscribe") { bytes throws(PackingError) in
      try SyncSubscription(packed: bytes)
    }
    if read.packed().count > SyncSubscription.maximumBytes {
      throw WireProblem(path: "subscribe", message: "has more than \(SyncSubscription.maximumBytes) bytes")
    }
    return read
  }

  /// Encodes a page of changes. `isPartial` must be true if the request contains a subscription.
  package static func body(of page: ChangePage, isPartial: Bool = false) -> [UInt8] {
    JSONText.bytes(of: .object(value(of: page, isPartial: isPartial)))
  }

  /// The maximum size of an event on a live channel, in bytes. A device must fetch larger changes.
  package static let eventBytes = 65_536

  /// Encodes changes as an event of a live channel. Returns nil if they are too large.
  package static func body(of page: ChangePage, since cursor: Cursor) -> [UInt8]? {
    guard page.records.reduce(0, { $0 + $1.cell.packedBytes }) < eventBytes / 2 else { return nil }
    var object = value(of: page)
    object["since"] = .string("\(cursor)")
    let bytes = JSONText.bytes(of: .object(object))
    return bytes.count <= eventBytes ? bytes : nil
  }

  /// Decodes changes from a live channel.
  package static func changes(_ body: [UInt8]) throws(WireProblem) -> ChannelSign {
    guard let cursor = try object(body)["since"]?.stringValue.flatMap({ Cursor($0) }) else {
      throw WireProblem(path: "since", message: "is missing or not a cursor")
    }
    return .changes(try page(body), since: cursor)
  }

  private static func value(of page: ChangePage, isPartial: Bool = false) -> ValueObject {
    var object = ValueObject([
      ("store", .string("\(page.store)")), ("cursor", .string("\(page.cursor)")), ("more", .boolean(page.hasMore)),
      ("serverMilliseconds", .integer(Int(page.serverMilliseconds))),
      ("records", .array(page.records.map { .object(value(of: $0)) })),
    ])
    if page.dropped != Dropped() {
      object["dropped"] = [
        "sequence": .integer(Int(page.dropped.sequence)), "life": .integer(Int(page.dropped.incarnation)),
      ]
    }
    if isPartial {
      object["others"] = .array(
        page.others.map { other in
          .array([.string(other.key.type), .string(other.key.name), .integer(Int(other.sequence))])
        })
    }
    return object
  }

  /// Decodes a page of changes. `isPartial` must be true if the request contained a subscription.
  package static func page(_ body: [UInt8], isPartial: Bool = false) throws(WireProblem) -> ChangePage {
    let root = try object(body)
    let cursor = try cursor(root)
    guard let list = root["records"]?.arrayValue, let hasMore = root["more"]?.booleanValue else {
      throw WireProblem(path: "", message: "'records' or 'more' is missing or mistyped")
    }
    var records: [SyncRecord] = []
    for (index, value) in list.enumerated() {
      guard let member = value.objectValue else {
        throw WireProblem(path: "records[\(index)]", message: "is not an object")
      }
      records.append(try record(member, "records[\(index)]"))
    }
    var dropped = Dropped()
    if let member = root["dropped"]?.objectValue {
      dropped = Dropped(
        sequence: try integer(member, "sequence", "dropped"), incarnation: try integer(member, "life", "dropped"))
    }
    return ChangePage(
      store: try store(root), records: records, cursor: cursor, hasMore: hasMore,
      serverMilliseconds: try integer(root, "serverMilliseconds", ""), dropped: dropped,
      others: isPartial ? try others(root) : [])
  }

  private static func others(_ root: ValueObject) throws(WireProblem) -> [RecordMention] {
    guard let list = root["others"]?.arrayValue else {
      throw WireProblem(path: "others", message: "is missing or not an array")
    }
    var others: [RecordMention] = []
    for (index, value) in list.enumerated() {
      guard let parts = value.arrayValue, parts.count == 3, let type = parts[0].stringValue,
        let name = parts[1].stringValue, let sequence = parts[2].integerValue, sequence >= 0
      else { throw WireProblem(path: "others[\(index)]", message: "is not a mention of a record") }
      others.append(RecordMention(key: RecordKey(type: type, name: name), sequence: Int64(sequence)))
    }
    return others
  }

  private static func value(of record: SyncRecord) -> ValueObject {
    ValueObject([
      ("type", .string(record.key.type)), ("name", .string(record.key.name)),
      ("version", .integer(Int(record.version))), ("sequence", .integer(Int(record.sequence))),
      ("cell", .string(base64(record.cell.packed()))),
    ])
  }

  private static func record(_ object: ValueObject, _ path: String) throws(WireProblem) -> SyncRecord {
    SyncRecord(
      key: try key(object, path), version: try integer(object, "version", path),
      sequence: try integer(object, "sequence", path),
      cell: try packed(object["cell"] ?? .null, "\(path).cell") { bytes throws(PackingError) in
        try Cell(packed: bytes)
      })
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
    try integer(try object(body), "serverMilliseconds", "")
  }

  // MARK: Parts

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

  private static func key(_ object: ValueObject, _ path: String) throws(WireProblem) -> RecordKey {
    guard let type = object["type"]?.stringValue else {
      throw WireProblem(path: "\(path).type", message: "is missing or not a string")
    }
    guard let name = object["name"]?.stringValue else {
      throw WireProblem(path: "\(path).name", message: "is missing or not a string")
    }
    return RecordKey(type: type, name: name)
  }

  private static func integer(_ object: ValueObject, _ name: String, _ path: String) throws(WireProblem) -> Int64 {
    guard let number = object[name]?.integerValue, number >= 0 else {
      throw WireProblem(
        path: path.isEmpty ? name : "\(path).\(name)", message: "is missing or not a whole number from 0")
    }
    return Int64(number)
  }

  private static func packed<Read>(
    _ value: Value, _ path: String, _ read: ([UInt8]) throws(PackingError) -> Read
  ) throws(WireProblem) -> Read {
    guard let bytes = value.stringValue.flatMap({ Data(base64Encoded: $0) }) else {
      throw WireProblem(path: path, message: "is missing or not base64")
    }
    do {
      return try read(Array(bytes))
    } catch {
      var problem = WireProblem(path: path, message: "is damaged: \(error)")
      if case .unsupportedFormat = error { problem.isOfTheFuture = true }
      throw problem
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
