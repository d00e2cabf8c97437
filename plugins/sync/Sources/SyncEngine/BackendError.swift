import SyncCore

/// Why a backend did not do what it was asked (S37).
public enum BackendError: Error, Hashable, Sendable {
  /// The network or the server is not there.
  case unreachable(String)
  /// No answer came within the deadline.
  case timedOut
  /// The account's allowance is used up.
  case quotaExceeded(retryAfterMilliseconds: Int64?)
  /// Too many requests in a short time.
  case rateLimited(retryAfterMilliseconds: Int64?)
  /// The server cannot answer at present and says when to come again.
  case unavailable(String, retryAfterMilliseconds: Int64)
  /// No token or a wrong one.
  case notAuthenticated(String)
  /// The token is known and does not open this.
  case forbidden(String)
  /// The server has no such zone.
  case zoneMissing(String)
  /// The data here belongs to another store; this one answered.
  case otherStore(StoreIdentity)
  /// The cursor belongs to another incarnation of the zone: fetch it whole.
  case cursorExpired
  /// Too many operations in one request.
  case limitExceeded
  /// The request is malformed and stays so.
  case invalid(String)
  /// The request is larger than the server takes.
  case tooLarge
  /// Something on the way to the server, such as a proxy, takes no request of this size; says what answered.
  case tooLargeForProxy(String)
  /// The request was damaged on its way to the server, which has not done anything.
  case damaged(String)
  /// A record is in a format of the future.
  case unsupportedFormat(String)
  /// The store itself is damaged, full or from a newer version.
  case storage(String)
  /// There is no record to read (S17).
  case noRecordsFound

  /// What the engine does about it.
  public enum Remedy: Hashable, Sendable {
    /// Try again, not before this many milliseconds.
    case retry(afterMilliseconds: Int64?)
    /// Stop sending; probe now and then.
    case queueOnly(retryAfterMilliseconds: Int64?)
    /// Send less at once; what fails alone is parked, visibly.
    case split
    /// Fetch the whole zone.
    case resynchronize
    /// Stop until a person has looked.
    case pause
  }

  /// What the engine does about it.
  public var remedy: Remedy {
    switch self {
    case .unreachable, .timedOut, .storage, .noRecordsFound, .tooLargeForProxy, .damaged: .retry(afterMilliseconds: nil)
    case .rateLimited(let wait): .retry(afterMilliseconds: wait)
    case .unavailable(_, let wait): .retry(afterMilliseconds: wait)
    case .quotaExceeded(let wait): .queueOnly(retryAfterMilliseconds: wait)
    case .limitExceeded, .invalid, .tooLarge, .forbidden: .split
    case .cursorExpired: .resynchronize
    case .notAuthenticated, .zoneMissing, .otherStore, .unsupportedFormat: .pause
    }
  }

  /// Whether nothing has answered.
  var isWithoutAnswer: Bool {
    switch self {
    case .unreachable, .timedOut: true
    default: false
    }
  }

  /// A stable word for it.
  public var code: String {
    switch self {
    case .unreachable: "unreachable"
    case .timedOut: "timed-out"
    case .quotaExceeded: "quota-exceeded"
    case .rateLimited: "rate-limited"
    case .unavailable: "unavailable"
    case .notAuthenticated: "not-authenticated"
    case .forbidden: "forbidden"
    case .zoneMissing: "zone-missing"
    case .otherStore: "other-store"
    case .cursorExpired: "cursor-expired"
    case .limitExceeded: "limit-exceeded"
    case .invalid: "invalid"
    case .tooLarge: "too-large"
    case .tooLargeForProxy: "too-large-for-proxy"
    case .damaged: "damaged"
    case .unsupportedFormat: "unsupported-format"
    case .storage: "storage"
    case .noRecordsFound: "no-records-found"
    }
  }
}

extension BackendError: CustomStringConvertible {
  /// What is wrong, for a person.
  public var description: String {
    switch self {
    case .unreachable(let reason): "the server cannot be reached: \(reason)"
    case .timedOut: "the server did not answer in time"
    case .quotaExceeded(let wait): "the quota is used up\(Self.later(wait))"
    case .rateLimited(let wait): "too many requests\(Self.later(wait))"
    case .unavailable(let reason, let wait): "the server cannot answer at present: \(reason)\(Self.later(wait))"
    case .notAuthenticated(let reason): "not authenticated: \(reason)"
    case .forbidden(let reason): "not allowed: \(reason)"
    case .zoneMissing(let zone): "there is no zone '\(zone)' on the server"
    case .otherStore(let store):
      "this device's data belongs to another store than the one that answers (\(store)); nothing is sent to it"
    case .cursorExpired: "the cursor is no longer valid; the whole zone is fetched"
    case .limitExceeded: "too many operations in one request, at most \(SyncLimits.operations) are taken"
    case .invalid(let reason): "the request is invalid: \(reason)"
    case .tooLarge: "the request is larger than \(SyncLimits.bodyBytes) bytes"
    case .tooLargeForProxy(let reason): "the request is too large for something between here and the server: \(reason)"
    case .damaged(let reason): "the request was damaged on its way to the server: \(reason)"
    case .unsupportedFormat(let reason), .storage(let reason): reason
    case .noRecordsFound: "there is no record yet"
    }
  }

  private static func later(_ milliseconds: Int64?) -> String {
    milliseconds.map { "; try again in \(($0 + 999) / 1000) s" } ?? ""
  }
}
