import SyncCore

/// The reason why a backend did not perform a request (S37).
public enum BackendError: Error, Hashable, Sendable {
  /// The network or the server cannot be reached.
  case unreachable(String)
  /// No response arrived before the deadline.
  case timedOut
  /// The account's quota is used up.
  case quotaExceeded(retryAfterMilliseconds: Int64?)
  /// Too many requests were sent in a short time.
  case rateLimited(retryAfterMilliseconds: Int64?)
  /// The server cannot process requests at present. Contains the reason and the pause before the next attempt.
  case unavailable(String, retryAfterMilliseconds: Int64)
  /// The token is missing or wrong.
  case notAuthenticated(String)
  /// The token is valid but does not give access to this zone.
  case forbidden(String)
  /// The server has no such zone.
  case zoneMissing(String)
  /// The store that responded is not the store of the device's data.
  case otherStore(StoreIdentity)
  /// The cursor belongs to an earlier incarnation of the zone. The whole zone must be fetched again.
  case cursorExpired
  /// The request has too many operations.
  case limitExceeded
  /// The request is malformed, so sending it again does not help.
  case invalid(String)
  /// The request is larger than the server accepts.
  case tooLarge
  /// A proxy in front of the server rejected the request as too large. Contains the name of the program that responded.
  case tooLargeForProxy(String)
  /// The request was damaged in transit, and the server did not process it.
  case damaged(String)
  /// A record has the format of a newer version.
  case unsupportedFormat(String)
  /// The store is damaged, full, or has the format of a newer version.
  case storage(String)
  /// The server does not have any records to read (S17).
  case noRecordsFound

  /// The engine's reaction to an error.
  package enum Remedy: Hashable, Sendable {
    /// Try again, but not before the given time has passed. Without a time, the pause depends on the number of
    /// failures.
    case retry(afterMilliseconds: Int64?)
    /// Stop sending, except for a probe from time to time.
    case queueOnly(retryAfterMilliseconds: Int64?)
    /// Send fewer operations per request. An operation or a transaction that fails on its own is parked.
    case split
    /// Fetch the whole zone.
    case resynchronize
    /// Stop until a person has fixed the cause.
    case pause
  }

  /// The engine's reaction to this error.
  package var remedy: Remedy {
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

  /// True if the server did not respond at all.
  var isWithoutAnswer: Bool {
    switch self {
    case .unreachable, .timedOut: true
    default: false
    }
  }

  /// A stable code for the error, for use by programs.
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
  /// A sentence that describes the problem, without a final period.
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
