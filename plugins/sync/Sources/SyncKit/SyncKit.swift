@_exported import SyncCore
@_exported import SyncEngine
@_exported import SyncHTTP
@_exported import SyncPomodoro
@_exported import SyncRecords
@_exported import SyncSQLite
@_exported import class SyncCloud.CloudZoneBackend

#if canImport(CloudKit)
  @_exported import class SyncCloud.CloudKitZone
#endif
