#if canImport(CloudKit)
  public import CloudKit
  import Foundation
  import Synchronization

  /// A zone in a person's private CloudKit database, for ``CloudZoneBackend``.
  ///
  /// Add the app's iCloud container and the CloudKit service to its entitlements. Subscribe to the zone with
  /// `CKRecordZoneSubscription`, and call `notice()` of the backend when its silent push arrives.
  public final class CloudKitZone: CloudZone {
    private static let recordType = "FlowrunPart"
    private static let field = "bytes"

    private let container: CKContainer
    private let zoneID: CKRecordZone.ID
    /// The service's clock minus this device's clock in milliseconds, measured when a record was last saved.
    private let ahead = Mutex<Int64>(0)
    /// The account returned by the last call to `account()`, or nil. Requests fail while another account is signed in.
    private let known = Mutex<String?>(nil)

    /// Creates an object that uses the zone named `zone` in the container's private database.
    public init(container: CKContainer, zone: String) {
      self.container = container
      zoneID = CKRecordZone.ID(zoneName: zone, ownerName: CKCurrentUserDefaultName)
    }

    private var database: CKDatabase { container.privateCloudDatabase }

    /// Saves and removes records, either all or none. Creates the zone if it is missing and all saved records are new.
    public func modify(_ modification: CloudModification) async throws(CloudZoneError) -> CloudModified {
      do {
        try await checkAccount()
        do {
          return try await save(modification)
        } catch  where CloudKitFailure(error).isMissingZone && modification.saved.allSatisfy({ $0.tag == nil }) {
          _ = try await database.modifyRecordZones(saving: [CKRecordZone(zoneID: zoneID)], deleting: [])
          return try await save(modification)
        }
      } catch {
        throw Self.problem(error)
      }
    }

    private func save(_ modification: CloudModification) async throws -> CloudModified {
      let records = try modification.saved.map(record)
      let (saved, _) = try await database.modifyRecords(
        saving: records, deleting: modification.removed.map(id), savePolicy: .ifServerRecordUnchanged, atomically: true)
      var tags: [String: CloudTag] = [:]
      var failures: [String: CloudKitFailure] = [:]
      var latest: Date?
      for (id, result) in saved {
        switch result {
        case .success(let record):
          tags[id.recordName] = Self.tag(of: record)
          latest = record.modificationDate ?? latest
        case .failure(let error): failures[id.recordName] = CloudKitFailure(error)
        }
      }
      if let failure = CloudKitFailure(records: failures) { throw failure }
      if let latest { ahead.withLock { $0 = Self.milliseconds(latest) - Self.milliseconds(Date()) } }
      return CloudModified(tags: tags, serverMilliseconds: now)
    }

    /// Returns the records that have changed since a token, or all records if the token is nil.
    public func changes(since token: CloudToken?) async throws(CloudZoneError) -> CloudChanges {
      do {
        try await checkAccount()
        let token = try token.map { token in
          guard
            let read = try NSKeyedUnarchiver.unarchivedObject(
              ofClass: CKServerChangeToken.self, from: Data(token.bytes))
          else { throw CloudZoneError.tokenExpired }
          return read
        }
        let page = try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
        let changed = try page.modificationResultsByID.map { id, result in
          let record = try result.get().record
          let bytes = (record[Self.field] as? Data).map { [UInt8]($0) } ?? []
          return CloudRecord(name: id.recordName, bytes: bytes, tag: Self.tag(of: record))
        }
        let next = try NSKeyedArchiver.archivedData(withRootObject: page.changeToken, requiringSecureCoding: true)
        return CloudChanges(
          changed: changed, removed: page.deletions.map(\.recordID.recordName), token: CloudToken([UInt8](next)),
          hasMore: page.moreComing, serverMilliseconds: now)
      } catch {
        throw Self.problem(error)
      }
    }

    /// Returns the record name of the signed-in user, which is the same on all of the user's devices.
    public func account() async throws(CloudZoneError) -> String {
      do {
        let name = try await container.userRecordID().recordName
        known.withLock { $0 = name }
        return name
      } catch {
        throw Self.problem(error)
      }
    }

    private func checkAccount() async throws {
      guard let known = known.withLock({ $0 }) else { return }
      if try await container.userRecordID().recordName != known { throw CloudZoneError.accountChanged }
    }

    private var now: Int64 { Self.milliseconds(Date()) + ahead.withLock { $0 } }

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zoneID) }

    private func record(_ part: CloudRecord) throws -> CKRecord {
      var record = CKRecord(recordType: Self.recordType, recordID: id(part.name))
      if let tag = part.tag {
        let coder = try NSKeyedUnarchiver(forReadingFrom: Data(tag.bytes))
        coder.requiresSecureCoding = true
        if let known = CKRecord(coder: coder) { record = known }
        coder.finishDecoding()
      }
      record[Self.field] = Data(part.bytes)
      return record
    }

    private static func tag(of record: CKRecord) -> CloudTag {
      let coder = NSKeyedArchiver(requiringSecureCoding: true)
      record.encodeSystemFields(with: coder)
      coder.finishEncoding()
      return CloudTag([UInt8](coder.encodedData))
    }

    private static func milliseconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000) }

    private static func problem(_ error: any Error) -> CloudZoneError {
      error as? CloudZoneError ?? CloudKitFailure(error).problem
    }
  }

  extension CloudKitFailure {
    fileprivate init(_ error: any Error) {
      guard let known = error as? CKError else {
        self = error as? CloudKitFailure ?? CloudKitFailure(text: "\(error)")
        return
      }
      self.init(
        number: known.code.rawValue, text: known.localizedDescription, retryAfterSeconds: known.retryAfterSeconds)
      for (item, reason) in known.partialErrorsByItemID ?? [:] {
        if let id = item as? CKRecord.ID {
          records[id.recordName] = CloudKitFailure(reason)
        } else {
          others.append(CloudKitFailure(reason))
        }
      }
    }
  }
#endif
