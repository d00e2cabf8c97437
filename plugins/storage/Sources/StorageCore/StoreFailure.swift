import FlowModel
import FlowPluginKit
import FlowSQLite

/// The errors that can occur when a store is opened or used. Each has a remedy.
package enum StoreFailure: String, CaseIterable {
  case diskFull = "disk-full"
  case storeUnreadable = "store-unreadable"
  case storeReadOnly = "store-read-only"
  case folderNotWritable = "folder-not-writable"
  case notADatabase = "not-a-database"
  case foreignStore = "foreign-store"
  case storeIsNewer = "store-is-newer"
  case storeCorrupt = "store-corrupt"
  case storeLocked = "store-locked"
  case migrationFailed = "migration-failed"
  case storeFailed = "store-failed"

  /// The declaration of the error, as shown by `plugins show`.
  package var declaration: ErrorDeclaration {
    let summary =
      switch self {
      case .diskFull: "No space is left; free some and run again, nothing that was stored is lost"
      case .storeUnreadable: "The file may not be read; change its permissions or choose another path"
      case .storeReadOnly: "The file may not be written; change its permissions or choose another path"
      case .folderNotWritable: "The folder may not be written, or cannot be made; choose another path"
      case .notADatabase: "The file is not a SQLite database; it is left as it is, choose another path"
      case .foreignStore: "The file is a database of another program; it is left as it is, choose another path"
      case .storeIsNewer: "The store was written by a newer version; update, or choose another path"
      case .storeCorrupt: "The file is damaged; restore a backup, or move it away to start with an empty store"
      case .storeLocked: "Another process kept the store locked for too long; try again when it has finished"
      case .migrationFailed: "A migration could not be applied; the store is as it was before it"
      case .storeFailed: "SQLite failed for another reason, which the message names"
      }
    return ErrorDeclaration(rawValue, summary, isRetryable: self == .storeLocked || self == .storeFailed)
  }

  /// The declarations of all failures, for actions that open a store.
  package static let whenOpening = allCases.map(\.declaration)

  /// The declarations of failures that can still occur once the store is open.
  package static let whenOpen = [diskFull, storeReadOnly, storeCorrupt, storeLocked, storeFailed].map(\.declaration)

  /// Calls `body` and converts its SQLite errors as ``translate(_:path:)`` does.
  package static func translating<Result>(path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw translate(error, path: path)
    }
  }

  /// Converts an SQLite error into an ``ActionError`` that contains the store, the cause and the remedy. If the
  /// statement was interrupted, returns a `CancellationError`.
  package static func translate(_ error: SQLiteError, path: String) -> any Error {
    let cause = "\(error)"
    switch error.kind {
    case .interrupted: return CancellationError()
    case .full: return diskFull.error("no space is left to write the store '\(path)'", cause)
    case .notADatabase: return notADatabase.error("'\(path)' is not a SQLite database", cause)
    case .corrupt: return storeCorrupt.error("the store '\(path)' is damaged", cause)
    case .busy, .locked:
      return storeLocked.error("another process keeps the store '\(path)' locked", cause)
    case .cannotOpen, .permission, .denied, .inputOutput, .readOnly:
      return translateFileError(of: path, cause, isReadOnly: error.kind == .readOnly)
    default: return storeFailed.error("the store '\(path)' failed", cause)
    }
  }

  private static func translateFileError(of path: String, _ cause: String, isReadOnly: Bool) -> ActionError {
    switch Store.obstacle(at: path) {
    case .folder: notADatabase.error("'\(path)' is a folder, not a store", cause)
    case .fileNotReadable: storeUnreadable.error("the store '\(path)' may not be read", cause)
    case .fileNotWritable: storeReadOnly.error("the store '\(path)' may not be written", cause)
    case .folderNotWritable: folderNotWritable.error("the folder of the store '\(path)' may not be written", cause)
    case .noSpace: diskFull.error("no space is left to write the store '\(path)'", cause)
    case .nothingFound:
      (isReadOnly ? storeReadOnly : storeFailed).error("the store '\(path)' cannot be used", cause)
    }
  }

  /// Creates an error with the problem, its cause and the remedy.
  package func error(_ what: String, _ cause: String) -> ActionError {
    let remedy =
      switch self {
      case .diskFull: "free some space and run again; nothing that was stored is lost"
      case .storeUnreadable: "allow it to be read, or choose another path"
      case .storeReadOnly: "allow it to be written, or choose another path"
      case .folderNotWritable: "allow it to be written, or choose another path"
      case .notADatabase, .foreignStore: "it was left as it is; choose another path"
      case .storeIsNewer: "update the program, or choose another path; the store was left as it is"
      case .storeCorrupt: "restore a backup, or move it away to start with an empty store"
      case .storeLocked: "try again when it has finished"
      case .migrationFailed: "the store is as it was before; correct the migration and run again"
      case .storeFailed: "try again, and look at the cause if it persists"
      }
    return ActionError(rawValue, "\(what) (\(cause)); \(remedy)", isRetryable: declaration.isRetryable)
  }
}
