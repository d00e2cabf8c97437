/// A zone of a cloud database as CloudKit has it: named records with change tags, of which several are saved together or not at
/// all, and the changes since an opaque token.
///
/// The service knows nothing of merging. ``CloudZoneBackend`` keeps a zone of the sync engine in it.
public protocol CloudZone: Sendable {
  /// Saves and removes records, all of them or none, if each saved record still has the tag that is named. A zone that does
  /// not exist is made if the records to save are new.
  func modify(_ modification: CloudModification) async throws(CloudZoneError) -> CloudModified

  /// The records that changed after a token, in the order of their changes; nil for all records.
  func changes(since token: CloudToken?) async throws(CloudZoneError) -> CloudChanges

  /// A name of the account that the zone belongs to, which stays the same on all devices of the person.
  func account() async throws(CloudZoneError) -> String
}

/// What the service knows a version of a record by; nothing but the service can read it.
public struct CloudTag: Hashable, Sendable {
  /// Its bytes.
  public var bytes: [UInt8]
  /// A tag of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A place in the changes of a zone; nothing but the service can read it.
public struct CloudToken: Hashable, Sendable {
  /// Its bytes.
  public var bytes: [UInt8]
  /// A token of these bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// A record of the service.
public struct CloudRecord: Hashable, Sendable {
  /// Its name in the zone.
  public var name: String
  /// Its content.
  public var bytes: [UInt8]
  /// Its version; nil for a record that does not exist yet.
  public var tag: CloudTag?

  /// A record.
  public init(name: String, bytes: [UInt8], tag: CloudTag?) {
    self.name = name
    self.bytes = bytes
    self.tag = tag
  }
}

/// Changes to a zone that are made together.
public struct CloudModification: Hashable, Sendable {
  /// The most records that are saved and removed at once.
  public static let recordLimit = 400
  /// The most bytes of a record.
  public static let recordBytes = 1_000_000

  /// The records to save, with the tags that they must have.
  public var saved: [CloudRecord]
  /// The names of the records to remove.
  public var removed: [String]

  /// Changes that are made together.
  public init(saved: [CloudRecord], removed: [String] = []) {
    self.saved = saved
    self.removed = removed
  }
}

/// The result of a modification.
public struct CloudModified: Hashable, Sendable {
  /// The new tags of the saved records.
  public var tags: [String: CloudTag]
  /// The service's clock, in milliseconds since 1970.
  public var serverMilliseconds: Int64

  /// A result.
  public init(tags: [String: CloudTag], serverMilliseconds: Int64) {
    self.tags = tags
    self.serverMilliseconds = serverMilliseconds
  }
}

/// A page of changes.
public struct CloudChanges: Hashable, Sendable {
  /// The records that are new or changed, as they are now.
  public var changed: [CloudRecord]
  /// The names of the records that were removed.
  public var removed: [String]
  /// The end of the page.
  public var token: CloudToken
  /// Whether there is more behind it.
  public var hasMore: Bool
  /// The service's clock as far as it is known, in milliseconds since 1970.
  public var serverMilliseconds: Int64

  /// A page of changes.
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

/// Why the service did not do what it was asked.
public enum CloudZoneError: Error, Hashable, Sendable {
  /// The reason for one record.
  public enum Item: Hashable, Sendable {
    /// It has another tag than the one named.
    case changed
    /// It could have been saved, but another one of the modification could not.
    case batchFailed
    /// It is larger than ``CloudModification/recordBytes``.
    case tooLarge
    /// Another reason.
    case failed(String)
  }

  /// Some records could not be saved; none was.
  case partial([String: Item])
  /// The token is too old: all records must be read.
  case tokenExpired
  /// There is no such zone, or a person has deleted it.
  case zoneNotFound
  /// Another person has signed in.
  case accountChanged
  /// No person has signed in.
  case notAuthenticated
  /// Too many requests in a short time.
  case throttled(retryAfterMilliseconds: Int64)
  /// The storage of the account is full.
  case quotaExceeded
  /// More records than ``CloudModification/recordLimit``, or more than the service takes at present.
  case limitExceeded
  /// The service does not answer.
  case unreachable(String)
  /// Another reason.
  case failed(String)
}
