@_exported import SyncCloud
@_exported import SyncCore
@_exported import SyncEngine
@_exported import SyncHTTP
@_exported import SyncPomodoro
@_exported import SyncRecords
@_exported import SyncSQLite
