/// A zone of a cloud database like CloudKit's: named records with change tags that are saved together or not at all,
/// and the changes since an opaque token.
///
/// The service cannot merge. ``CloudZoneBackend`` stores a zone of the sync engine in it.
public protocol CloudZone: Sendable {
  /// Saves and removes records, all or none, if each saved record still has the given tag. Creates a missing zone if
  /// all records to save are new.
  func modify(_ modification: CloudModification) async throws(CloudZoneError) -> CloudModified

  /// Returns the records that changed after a token, in the order of their changes, or all records for nil.
  func changes(since token: CloudToken?) async throws(CloudZoneError) -> CloudChanges

  /// Returns an identifier of the zone's account, which is the same on all of the person's devices.
  func account() async throws(CloudZoneError) -> String
}

/// An opaque identifier of a record's version.
public struct CloudTag: Hashable, Sendable {
  /// The bytes as received from the service.
  public var bytes: [UInt8]
  /// Creates a tag from its bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// An opaque position in the changes of a zone.
public struct CloudToken: Hashable, Sendable {
  /// The bytes as received from the service.
  public var bytes: [UInt8]
  /// Creates a token from its bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A record of the service.
public struct CloudRecord: Hashable, Sendable {
  /// The record's name in the zone.
  public var name: String
  /// The record's content.
  public var bytes: [UInt8]
  /// The tag of its version, or nil for a new record.
  package var tag: CloudTag?

  /// Creates a record.
  public init(name: String, bytes: [UInt8], tag: CloudTag?) {
    self.name = name
    self.bytes = bytes
    self.tag = tag
  }
}

/// Changes to records that are made together or not at all.
public struct CloudModification: Hashable, Sendable {
  /// The maximum number of records that are saved and removed at once.
  package static let recordLimit = 400
  /// The maximum size of a record, in bytes.
  package static let recordBytes = 1_000_000

  /// The records to save, with their expected tags.
  public var saved: [CloudRecord]
  /// The names of the records to remove.
  package var removed: [String]

  /// Creates a set of changes.
  public init(saved: [CloudRecord], removed: [String] = []) {
    self.saved = saved
    self.removed = removed
  }
}

/// The result of a modification.
public struct CloudModified: Hashable, Sendable {
  /// The new tags of the saved records.
  package var tags: [String: CloudTag]
  /// The service's clock, in milliseconds since 1970.
  package var serverMilliseconds: Int64

  /// Creates a result.
  public init(tags: [String: CloudTag], serverMilliseconds: Int64) {
    self.tags = tags
    self.serverMilliseconds = serverMilliseconds
  }
}

/// A page of changes.
public struct CloudChanges: Hashable, Sendable {
  /// The current content of new and changed records.
  public var changed: [CloudRecord]
  /// The names of removed records.
  package var removed: [String]
  /// The token for fetching the changes after this page.
  public var token: CloudToken
  /// True if more changes follow.
  package var hasMore: Bool
  /// The service's time as far as known, in milliseconds since 1970.
  package var serverMilliseconds: Int64

  /// Creates a page of changes.
  public init(
    changed: [CloudRecord], removed: [String], token: CloudToken, hasMore: Bool, serverMilliseconds: Int64
  ) {
    self.changed = changed
    self.removed = removed
    self.token = token
    self.hasMore = hasMore
    self.serverMilliseconds = serverMilliseconds
  }
}

/// The reason why the service did not perform a request.
public enum CloudZoneError: Error, Hashable, Sendable {
  /// The reason why one record could not be saved.
  public enum Item: Hashable, Sendable {
    /// The record has another tag than expected.
    case changed
    /// The record is valid, but another one of the modification failed.
    case batchFailed
    /// The record is larger than ``CloudModification/recordBytes``.
    case tooLarge
    /// Another reason, as text.
    case failed(String)
  }

  /// Some records could not be saved, so none was.
  case partial([String: Item])
  /// The token is too old, so all records must be read.
  case tokenExpired
  /// The zone does not exist, or a person has deleted it.
  case zoneNotFound
  /// Another person has signed in.
  case accountChanged
  /// No person has signed in.
  case notAuthenticated
  /// Too many requests were sent in a short time.
  case throttled(retryAfterMilliseconds: Int64)
  /// The storage of the account is full.
  case quotaExceeded
  /// The request has more records than ``CloudModification/recordLimit``, or than the service accepts at present.
  case limitExceeded
  /// The service does not respond.
  case unreachable(String)
  /// Another reason, as text.
  case failed(String)
}
