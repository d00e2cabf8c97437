/// An error of CloudKit. It contains the error's number instead of a `CKError`, so it can be tested on systems without
/// CloudKit.
package struct CloudKitFailure: Error, Hashable {
  /// The raw values of `CKError.Code`, from Apple's documentation.
  package enum Code: Int, Sendable, CaseIterable {
    case partialFailure = 2
    case networkUnavailable = 3
    case networkFailure = 4
    case serviceUnavailable = 6
    case requestRateLimited = 7
    case notAuthenticated = 9
    case unknownItem = 11
    case serverRecordChanged = 14
    case changeTokenExpired = 21
    case batchRequestFailed = 22
    case zoneBusy = 23
    case quotaExceeded = 25
    case zoneNotFound = 26
    case limitExceeded = 27
    case userDeletedZone = 28
    case serverResponseLost = 34
    case accountTemporarilyUnavailable = 36
  }

  /// The raw value of the `CKError.Code`, or nil for an error of another framework.
  package var number: Int?
  package var text: String
  /// The seconds to wait before the next request, or nil if the service did not specify any.
  package var retryAfterSeconds: Double?
  /// The errors of individual records, by record name.
  package var records: [String: CloudKitFailure]
  /// The errors of items that are not records, such as the zone.
  package var others: [CloudKitFailure]

  package init(
    number: Int? = nil, text: String = "", retryAfterSeconds: Double? = nil,
    records: [String: CloudKitFailure] = [:], others: [CloudKitFailure] = []
  ) {
    self.number = number
    self.text = text
    self.retryAfterSeconds = retryAfterSeconds
    self.records = records
    self.others = others
  }

  /// Creates the failure of a request from the failures of its records. Returns nil if no record failed.
  package init?(records: [String: CloudKitFailure]) {
    if records.isEmpty { return nil }
    self.init(number: Code.partialFailure.rawValue, records: records)
  }

  private var code: Code? { number.flatMap(Code.init) }

  /// True if the zone does not exist, for example because a person has deleted it.
  package var isMissingZone: Bool {
    code == .zoneNotFound || code == .userDeletedZone || records.values.contains(where: \.isMissingZone)
      || others.contains(where: \.isMissingZone)
  }

  /// The error of ``CloudZone`` that corresponds to this one.
  package var problem: CloudZoneError {
    if isMissingZone { return .zoneNotFound }
    switch code {
    case .partialFailure: return .partial(records.mapValues(\.item))
    case .serverRecordChanged: return .partial(["": .changed])
    case .changeTokenExpired: return .tokenExpired
    case .notAuthenticated, .accountTemporarilyUnavailable: return .notAuthenticated
    case .quotaExceeded: return .quotaExceeded
    case .limitExceeded: return .limitExceeded
    case .requestRateLimited, .serviceUnavailable, .zoneBusy:
      return .throttled(retryAfterMilliseconds: retryAfterMilliseconds)
    case .networkFailure, .networkUnavailable, .serverResponseLost: return .unreachable(text)
    default: return .failed(text)
    }
  }

  /// The pause that the service requests, limited to a day, or one second if it requests none.
  private var retryAfterMilliseconds: Int64 {
    guard let seconds = retryAfterSeconds, seconds >= 0 else { return 1000 }
    return Int64(min(seconds, 86_400) * 1000)
  }

  private var item: CloudZoneError.Item {
    switch code {
    case .serverRecordChanged, .unknownItem: .changed
    case .batchRequestFailed: .batchFailed
    case .limitExceeded: .tooLarge
    default: .failed(text)
    }
  }
}
