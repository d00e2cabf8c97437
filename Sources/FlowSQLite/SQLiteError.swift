import CSQLite

/// An error that SQLite reports.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32
  /// The message that SQLite has for the error.
  package let message: String
  /// The error number of the connection's last failed system call, or 0.
  package let systemError: Int32

  /// The kinds of errors, which are SQLite's primary result codes.
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
    /// Another connection has changed the tables, or a name is unknown because this connection has not read the tables.
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

  /// Creates an error. By default, its message is SQLite's text for the code.
  package init(_ code: Int32, _ message: String? = nil, systemError: Int32 = 0) {
    self.code = code
    self.message = message ?? String(cString: sqlite3_errstr(code))
    self.systemError = systemError
  }

  /// Creates an error of a kind. By default, its message is SQLite's text for that kind.
  package init(_ kind: Kind, _ message: String? = nil) { self.init(kind.rawValue, message) }

  /// Creates an error from the last call of a connection. If `handle` is nil, the message is SQLite's text for the
  /// code.
  init(_ code: Int32, on handle: OpaquePointer?) {
    self.init(
      code, handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) },
      systemError: handle.map { sqlite3_system_errno($0) } ?? 0)
  }

  package var kind: Kind { Kind(rawValue: code & 0xFF) ?? .other }

  package var description: String { "SQLite \(code): \(message)" }

  /// The error that is thrown if a connection is used after it has been closed.
  static let closed = SQLiteError(.misuse, "the file has been closed")
}
