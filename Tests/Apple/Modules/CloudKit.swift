// swift-format-ignore-file
// The part of CloudKit that CloudKitZone uses. The declarations are only type-checked and never run, so `@unchecked
// Sendable` repeats Apple's headers.
@_exported import Foundation

public let CKCurrentUserDefaultName = "__defaultOwner__"

public protocol CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}

open class CKRecordZone: NSObject, @unchecked Sendable {
  open class ID: NSObject, @unchecked Sendable {
    public init(zoneName: String, ownerName: String) {}
  }

  public init(zoneID: ID) {}
}

open class CKRecord: NSObject, @unchecked Sendable {
  open class ID: NSObject, @unchecked Sendable {
    public init(recordName: String, zoneID: CKRecordZone.ID) {}
    open var recordName: String { "" }
  }

  public init(recordType: String, recordID: ID) {}
  public init?(coder: NSCoder) { nil }
  open var modificationDate: Date? { nil }
  open func encodeSystemFields(with coder: NSCoder) {}
  open subscript(key: String) -> (any CKRecordValueProtocol)? {
    get { nil }
    set {}
  }
}

open class CKServerChangeToken: NSObject, @unchecked Sendable {}

open class CKDatabase: NSObject, @unchecked Sendable {
  public enum RecordZoneChange {
    public struct Modification: Sendable {
      public var record: CKRecord
    }
    public struct Deletion: Sendable {
      public var recordID: CKRecord.ID
    }
  }

  open func modifyRecords(
    saving: [CKRecord], deleting: [CKRecord.ID], savePolicy: CKModifyRecordsOperation.RecordSavePolicy, atomically: Bool
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) { fatalError() }

  open func modifyRecordZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID]) async throws -> (
    saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
    deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
  ) { fatalError() }

  open func recordZoneChanges(
    inZoneWith: CKRecordZone.ID, since: CKServerChangeToken?, desiredKeys: [String]? = nil, resultsLimit: Int? = nil
  ) async throws -> (
    modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
    deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
  ) { fatalError() }
}

open class CKModifyRecordsOperation: NSObject {
  public enum RecordSavePolicy: Int, Sendable {
    case ifServerRecordUnchanged, changedKeys, allKeys
  }
}

open class CKContainer: NSObject, @unchecked Sendable {
  open class func `default`() -> CKContainer { fatalError() }
  open var privateCloudDatabase: CKDatabase { fatalError() }
  open func userRecordID() async throws -> CKRecord.ID { fatalError() }
}

public struct CKError: Error {
  public enum Code: Int, Sendable {
    case internalError = 1
  }

  public var code: Code { .internalError }
  public var retryAfterSeconds: Double? { nil }
  public var partialErrorsByItemID: [AnyHashable: any Error]? { nil }
}
