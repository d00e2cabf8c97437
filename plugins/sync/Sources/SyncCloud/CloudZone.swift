/// A zone in a cloud database such as CloudKit. Records have names and change tags, several records are saved together
/// or not at all, and changes are returned since an opaque token.
///
/// The service cannot merge records. ``CloudZoneBackend`` stores a zone of the sync engine in it.
public protocol CloudZone: Sendable {
  /// Saves and removes records, either all or none. Fails if a saved record no longer has the given tag. Creates the
  /// zone if it is missing and all saved records are new.
  func modify(_ modification: CloudModification) async throws(CloudZoneError) -> CloudModified

  /// Returns the records that have changed since a token, in the order of their changes, or all records if the token is
  /// nil.
  func changes(since token: CloudToken?) async throws(CloudZoneError) -> CloudChanges

  /// Returns an identifier of the zone's account, which is the same on all of the user's devices.
  func account() async throws(CloudZoneError) -> String
}

/// An opaque identifier of a record's version.
public struct CloudTag: Hashable, Sendable {
  /// The bytes as received from the service.
  public var bytes: [UInt8]
  /// Creates a tag from its bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// An opaque position in the history of a zone.
public struct CloudToken: Hashable, Sendable {
  /// The bytes as received from the service.
  public var bytes: [UInt8]
  /// Creates a token from its bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A named record in the cloud database.
public struct CloudRecord: Hashable, Sendable {
  /// The record's name in the zone.
  public var name: String
  /// The record's content.
  public var bytes: [UInt8]
  /// The tag of the record's version, or nil for a new record.
  package var tag: CloudTag?

  /// Creates a record to save, or a record received from the service. `tag` is nil for a new record.
  public init(name: String, bytes: [UInt8], tag: CloudTag?) {
    self.name = name
    self.bytes = bytes
    self.tag = tag
  }
}

/// Changes to records that are saved together or not at all.
public struct CloudModification: Hashable, Sendable {
  /// The maximum number of records that one modification saves and removes.
  package static let recordLimit = 400
  /// The maximum size of a record, in bytes.
  package static let recordBytes = 1_000_000

  /// The records to save, with their expected tags.
  public var saved: [CloudRecord]
  /// The names of the records to remove.
  package var removed: [String]

  /// Creates a modification that saves records and removes the records with the names in `removed`.
  public init(saved: [CloudRecord], removed: [String] = []) {
    self.saved = saved
    self.removed = removed
  }
}

/// The service's response to a modification that it saved.
public struct CloudModified: Hashable, Sendable {
  /// The new tags of the saved records, by record name.
  package var tags: [String: CloudTag]
  /// The service's time in milliseconds since 1970.
  package var serverMilliseconds: Int64

  /// Creates the result from the new tags of the saved records and the service's time.
  public init(tags: [String: CloudTag], serverMilliseconds: Int64) {
    self.tags = tags
    self.serverMilliseconds = serverMilliseconds
  }
}

/// A page of changes.
public struct CloudChanges: Hashable, Sendable {
  /// The new and changed records with their current content.
  public var changed: [CloudRecord]
  /// The names of removed records.
  package var removed: [String]
  /// The token to fetch the changes after this page.
  public var token: CloudToken
  /// True if more changes follow.
  package var hasMore: Bool
  /// The service's time in milliseconds since 1970, estimated if the service does not report it.
  package var serverMilliseconds: Int64

  /// Creates a page. `token` marks its end, and `hasMore` is true if more changes follow.
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

/// The reason why a request to the service failed.
public enum CloudZoneError: Error, Hashable, Sendable {
  /// The reason why one record could not be saved.
  public enum Item: Hashable, Sendable {
    /// The record's tag is not the expected one.
    case changed
    /// The record is valid, but another record of the modification failed.
    case batchFailed
    /// The record is larger than ``CloudModification/recordBytes``.
    case tooLarge
    /// Any other error. Contains its description.
    case failed(String)
  }

  /// Some records could not be saved, so none was saved. Contains the errors by record name.
  case partial([String: Item])
  /// The token is too old. All records must be read again.
  case tokenExpired
  /// The zone does not exist, or a person has deleted it.
  case zoneNotFound
  /// Another user has signed in.
  case accountChanged
  /// No user has signed in.
  case notAuthenticated
  /// Too many requests were sent in a short time.
  case throttled(retryAfterMilliseconds: Int64)
  /// The storage of the account is full.
  case quotaExceeded
  /// The request has more records than ``CloudModification/recordLimit``, or more than the service accepts at present.
  case limitExceeded
  /// The service does not respond.
  case unreachable(String)
  /// Any other error. Contains its description.
  case failed(String)
}
