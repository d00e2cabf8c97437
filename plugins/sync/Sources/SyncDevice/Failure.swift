import FlowModel
import FlowPluginKit
import SyncEngine
import SyncPomodoro
import SyncRecords
import SyncSQLite

/// The declared errors of the plugin's actions.
package enum Failure {
  package static let store = ErrorDeclaration(
    "sync-store", "A file of the synchronization is damaged, full, locked or from a newer version", isRetryable: false)
  package static let backend = ErrorDeclaration(
    "sync-backend", "The store or server of the zone cannot be used as it was given", isRetryable: false)
  package static let paused = ErrorDeclaration(
    "sync-paused", "The server refused the token or the zone; the outbox is kept", isRetryable: false)
  package static let otherStore = ErrorDeclaration(
    "sync-other-store", "This device's data belongs to another store than the one that answers; nothing was sent to it",
    isRetryable: false)
  package static let parked = ErrorDeclaration(
    "sync-parked", "A change can never be accepted and was parked; the message says why", isRetryable: false)
  package static let timeout = ErrorDeclaration(
    "sync-timeout", "The server was not reached in time; the outbox is kept and sent later", isRetryable: true)
  package static let input = ErrorDeclaration("sync-input", "An input conflicts with another", isRetryable: false)
  package static let record = ErrorDeclaration(
    "sync-record", "A record has a missing or mistyped field; the message names it", isRetryable: false)
  package static let refused = ErrorDeclaration(
    "sync-refused", "An action breaks a limit or a rule of its record; nothing was changed", isRetryable: false)
  package static let inUse = ErrorDeclaration(
    "sync-in-use", "Another process uses this device's file; the message says which", isRetryable: true)
  package static let zoneFull = ErrorDeclaration(
    "sync-zone-full", "The zone has the maximum number of devices; one must be retired", isRetryable: false)
  package static let schema = ErrorDeclaration(
    "sync-schema", "The schema has errors, the zone keeps other rules, or there is none; the message says which",
    isRetryable: false)
  package static let query = ErrorDeclaration(
    "sync-query", "The SQL is wrong or would do more than read", isRetryable: false)
  package static let none = ErrorDeclaration("no-records-found", "There is no timer yet", isRetryable: true)

  /// Converts an error of the sync engine to the error of an action. Returns other errors unchanged.
  package static func error(_ error: any Error, _ onOtherStore: OnOtherStore = .fail) -> any Error {
    switch error {
    case ReplicaError.refused(let reason): ActionError(refused.code, reason)
    case let error as ReplicaError:
      if case .inUse = error { ActionError(inUse.code, "\(error)") } else { ActionError(store.code, "\(error)") }
    case BackendError.storage(let reason), BackendError.unsupportedFormat(let reason): ActionError(store.code, reason)
    case BackendError.otherStore: ActionError(otherStore.code, "\(error); \(onOtherStore.remedy)")
    case let error as BackendError where error.remedy == .pause: ActionError(paused.code, "\(error)")
    case let error as BackendError: ActionError(backend.code, "\(error)")
    case let error as RecordProblem: ActionError(record.code, "\(error)")
    case let error as RecordQuery.QueryProblem: ActionError(query.code, "\(error)")
    case let error as TimerStateRecord.FieldProblem: ActionError(record.code, "\(error)")
    default: error
    }
  }
}
