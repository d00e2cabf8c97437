import FlowModel
import SyncCore
import SyncEngine

extension Wire {
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
