import CSQLite

/// A prepared statement and its current row.
///
/// A connection passes it to a closure. It cannot be copied, so it cannot leave the closure and never outlives its
/// connection.
package struct SQLiteStatement: ~Copyable {
  let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  // MARK: Properties

  /// True if the statement does not change the file.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// The names of the columns in the statement's rows, in order.
  package var columns: [String] {
    (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
  }

  /// The names of the statement's parameters in order, with their prefix (`:name`). A parameter without a name is nil.
  package var parameters: [String?] {
    (0..<sqlite3_bind_parameter_count(handle)).map { index in
      sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0) }
    }
  }

  // MARK: Rows

  /// Moves to the next row. Returns false if there are no more rows.
  package func next() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw SQLiteError(code, on: sqlite3_db_handle(handle))
    }
  }

  /// Returns the integer in a column, or 0 if the column has none.
  package func integer(_ column: Int) -> Int { Int(int64(column)) }

  /// Returns the integer in a column, or 0 if the column has none.
  package func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  /// Returns the text in a column, or an empty string if the column has none.
  package func text(_ column: Int) -> String {
    // Read the text first, because that converts the value. The size is then the size of the text.
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Returns the bytes in a column, or an empty array if the column has none.
  package func bytes(_ column: Int) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, Int32(column)) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
  }

  /// True if a column is null.
  package func isNull(_ column: Int) -> Bool { sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL }

  /// Returns the value in a column, with the type that it has in the file.
  package func value(_ column: Int) -> SQLiteValue {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer(int64(column))
    case SQLITE_FLOAT: .number(sqlite3_column_double(handle, Int32(column)))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .bytes(bytes(column))
    default: .null
    }
  }

  // MARK: Values

  /// Binds the values to the parameters in order, calls `body`, and resets the statement.
  ///
  /// Bytes are not copied. The values keep them in memory until the statement has been reset.
  package func bound<Result>(
    to values: [SQLiteValue], _ body: (borrowing SQLiteStatement) throws -> Result
  ) throws -> Result {
    let count = Int(sqlite3_bind_parameter_count(handle))
    guard count == values.count else {
      throw SQLiteError(.range, "the statement takes \(count) value\(count == 1 ? "" : "s"), got \(values.count)")
    }
    defer { sqlite3_clear_bindings(handle) }
    // A closure cannot capture a borrowed value, so it captures a copy of the handle.
    let handle = handle
    return try bind(values[...]) { try body(SQLiteStatement(handle)) }
  }

  private func bind<Result>(
    _ values: ArraySlice<SQLiteValue>, while body: () throws -> Result
  ) throws -> Result {
    // A loop over indices, because for `zip` the runtime would create a type at the first statement of each process.
    for index in values.indices {
      let (value, place) = (values[index], Int32(index + 1))
      guard case .bytes(let bytes) = value, !bytes.isEmpty else {
        try check(bind(value, place))
        continue
      }
      return try bytes.withUnsafeBufferPointer { bytes in
        // There is no destructor, because the memory belongs to the array. The array outlives `body`, which ends with a
        // reset, and the bindings are not read afterwards.
        try check(sqlite3_bind_blob64(handle, place, bytes.baseAddress, sqlite3_uint64(bytes.count), nil))
        return try bind(values[(index + 1)...], while: body)
      }
    }
    defer { sqlite3_reset(handle) }
    return try body()
  }

  /// Binds a value of any type except non-empty bytes.
  private func bind(_ value: SQLiteValue, _ place: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, place)
    case .integer(let number): return sqlite3_bind_int64(handle, place, number)
    case .number(let number): return sqlite3_bind_double(handle, place, number)
    case .text(var text):
      return text.withUTF8 { text in
        guard let start = text.baseAddress else { return sqlite3_bind_text(handle, place, "", 0, nil) }
        // Proof of safety: -1 is `SQLITE_TRANSIENT`, which SQLite compares and never calls; it copies the bytes at
        // once.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        return start.withMemoryRebound(to: CChar.self, capacity: text.count) {
          sqlite3_bind_text64(handle, place, $0, sqlite3_uint64(text.count), copied, UInt8(SQLITE_UTF8))
        }
      }
    case .bytes: return sqlite3_bind_zeroblob(handle, place, 0)
    }
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else { throw SQLiteError(code, on: sqlite3_db_handle(handle)) }
  }
}
