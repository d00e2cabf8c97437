import CSQLite

/// An error that SQLite reports.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// SQLite's extended result code.
  package let code: Int32
  /// SQLite's own words.
  package let message: String
  /// The error number of the last system call that failed on the connection; 0 if none did.
  package let systemError: Int32

  /// What kind of error it is: SQLite's primary result code.
  package enum Kind: Int32, Sendable {
    case error = 1
    case permission = 3
    case busy = 5
    case locked = 6
    case readOnly = 8
    case interrupted = 9
    case inputOutput = 10
    case corrupt = 11
    case full = 13
    case cannotOpen = 14
    /// Another connection has changed the tables, or a name is unknown on a connection that has not read them yet.
    case schema = 17
    case tooBig = 18
    case constraint = 19
    case misuse = 21
    case denied = 23
    case range = 25
    case notADatabase = 26
    /// Any other code.
    case other = 0
  }

  /// Makes an error with SQLite's own text for the code unless `message` gives another.
  package init(_ code: Int32, _ message: String? = nil, systemError: Int32 = 0) {
    self.code = code
    self.message = message ?? String(cString: sqlite3_errstr(code))
    self.systemError = systemError
  }

  /// Makes an error of one kind, with SQLite's own text for it unless `message` gives another.
  package init(_ kind: Kind, _ message: String? = nil) { self.init(kind.rawValue, message) }

  /// Makes an error from what a connection says of its last call; nil: there is no connection.
  init(_ code: Int32, on handle: OpaquePointer?) {
    self.init(
      code, handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) },
      systemError: handle.map { sqlite3_system_errno($0) } ?? 0)
  }

  /// What kind of error it is.
  package var kind: Kind { Kind(rawValue: code & 0xFF) ?? .other }

  /// The code and SQLite's words.
  package var description: String { "SQLite \(code): \(message)" }

  /// The error of a connection that is used after it was closed.
  static let closed = SQLiteError(.misuse, "the file has been closed")
}
