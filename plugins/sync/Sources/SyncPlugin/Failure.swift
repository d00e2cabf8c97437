import FlowModel
import FlowPluginKit
import SyncEngine
import SyncPomodoro
import SyncRecords
import SyncSQLite

/// What can go wrong in an action, in the words of workflows.
enum Failure {
  static let store = ErrorDeclaration(
    "sync-store", "A file of the synchronization is damaged, full, locked or from a newer version", isRetryable: false)
  static let backend = ErrorDeclaration(
    "sync-backend", "The store or server of the zone cannot be used as it was given", isRetryable: false)
  static let paused = ErrorDeclaration(
    "sync-paused", "The server refused the token or the zone; the outbox is kept", isRetryable: false)
  static let otherStore = ErrorDeclaration(
    "sync-other-store", "This device's data belongs to another store than the one that answers; nothing was sent to it",
    isRetryable: false)
  static let parked = ErrorDeclaration(
    "sync-parked", "A change can never be accepted and was parked; the message says why", isRetryable: false)
  static let timeout = ErrorDeclaration(
    "sync-timeout", "The server was not reached in time; the outbox is kept and sent later", isRetryable: true)
  static let input = ErrorDeclaration("sync-input", "An input conflicts with another", isRetryable: false)
  static let record = ErrorDeclaration(
    "sync-record", "A record has a missing or mistyped field; the message names it", isRetryable: false)
  static let refused = ErrorDeclaration(
    "sync-refused", "An action breaks a limit or a rule of its record; nothing was changed", isRetryable: false)
  static let inUse = ErrorDeclaration(
    "sync-in-use", "Another process uses this device's file; the message says which", isRetryable: true)
  static let zoneFull = ErrorDeclaration(
    "sync-zone-full", "The zone has the maximum number of devices; one must be retired", isRetryable: false)
  static let schema = ErrorDeclaration(
    "sync-schema", "The schema has errors, the zone keeps other rules, or there is none; the message says which",
    isRetryable: false)
  static let query = ErrorDeclaration("sync-query", "The SQL is wrong or would do more than read", isRetryable: false)
  static let none = ErrorDeclaration("no-records-found", "There is no timer yet", isRetryable: true)

  /// An error of the engine as an error of an action.
  static func error(_ error: any Error) -> any Error {
    switch error {
    case ReplicaError.refused(let reason): ActionError(refused.code, reason)
    case let error as ReplicaError:
      if case .inUse = error { ActionError(inUse.code, "\(error)") } else { ActionError(store.code, "\(error)") }
    case BackendError.storage(let reason), BackendError.unsupportedFormat(let reason): ActionError(store.code, reason)
    case BackendError.otherStore: ActionError(otherStore.code, "\(error)")
    case let error as BackendError where error.remedy == .pause: ActionError(paused.code, "\(error)")
    case let error as BackendError: ActionError(backend.code, "\(error)")
    case let error as RecordProblem: ActionError(record.code, "\(error)")
    case let error as RecordQuery.QueryProblem: ActionError(query.code, "\(error)")
    case let error as TimerStateRecord.FieldProblem: ActionError(record.code, "\(error)")
    default: error
    }
  }
}
