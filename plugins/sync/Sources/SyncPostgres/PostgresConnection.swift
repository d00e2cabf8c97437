#if Server
  import CPostgreSQL
  import SyncEngine

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A connection to PostgreSQL through libpq, used by one thread at a time. Its calls block.
  final class PostgresConnection {
    private let information: String
    private let onOpen: @Sendable () -> Void
    private var connection: OpaquePointer?
    /// The names under which this connection has statements prepared, by their text.
    private var prepared: [String: String] = [:]

    /// A parameter of a statement.
    enum Parameter {
      case text(String)
      case integer(Int64)
      case bytes([UInt8])
    }

    /// `onOpen` is called whenever the connection has been opened, before anything runs on it.
    init(_ information: String, onOpen: @escaping @Sendable () -> Void = {}) {
      self.information = information
      self.onOpen = onOpen
    }

    deinit { if let connection { PQfinish(connection) } }

    /// Runs one statement with parameters and gives its rows. Opens the connection when there is none; a connection that
    /// broke is opened again by the next call. A statement with parameters is parsed and planned once a connection.
    func run(_ sql: String, _ parameters: [Parameter] = []) throws(BackendError) -> PostgresRows {
      let connection = try opened()
      let name = parameters.isEmpty ? nil : prepare(sql, connection)
      let values = parameters.map { parameter -> (bytes: [UInt8], isBinary: Bool) in
        switch parameter {
        case .text(let text): (Array(text.utf8) + [0], false)
        case .integer(let number): (Array(String(number).utf8) + [0], false)
        case .bytes(let bytes): (bytes.isEmpty ? [0] : bytes, true)
        }
      }
      let lengths = zip(values, parameters).map { value, parameter -> Int32 in
        if case .bytes(let bytes) = parameter { Int32(bytes.count) } else { Int32(value.bytes.count) }
      }
      let formats = values.map { Int32($0.isBinary ? 1 : 0) }
      let all = values.flatMap(\.bytes)
      var offsets: [Int] = []
      var offset = 0
      for value in values {
        offsets.append(offset)
        offset += value.bytes.count
      }
      // The parameters lie one behind the other in `all`, which outlives the call.
      let result = all.withUnsafeBufferPointer { buffer -> OpaquePointer? in
        let base = UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
        let starts: [UnsafePointer<CChar>?] = offsets.map { start in base.map { $0 + start } }
        guard let name else {
          return PQexecParams(connection, sql, Int32(parameters.count), nil, starts, lengths, formats, 1)
        }
        return PQexecPrepared(connection, name, Int32(parameters.count), starts, lengths, formats, 1)
      }
      let rows = PostgresRows(result)
      switch PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return rows
      default:
        if PQstatus(connection) != CONNECTION_OK {
          close()
          throw .unreachable("the connection to PostgreSQL broke: \(rows.message)")
        }
        if rows.state == "53100" { throw .storage("PostgreSQL's disk is full: \(rows.message)") }
        throw .storage("PostgreSQL: \(rows.message)")
      }
    }

    /// The name of a prepared statement, nil when it cannot be prepared: running it then says why.
    private func prepare(_ sql: String, _ connection: OpaquePointer) -> String? {
      if let name = prepared[sql] { return name }
      let name = "s\(prepared.count)"
      let result = PQprepare(connection, name, sql, 0, nil)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else { return nil }
      prepared[sql] = name
      return name
    }

    /// What has been notified within so many milliseconds, as payloads.
    func notifications(waitMilliseconds: Int32) throws(BackendError) -> [String] {
      let connection = try opened()
      var payloads = pending(connection)
      if !payloads.isEmpty { return payloads }
      var request = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, waitMilliseconds) > 0 else { return [] }
      guard PQconsumeInput(connection) == 1 else {
        close()
        throw .unreachable("the connection to PostgreSQL broke")
      }
      payloads = pending(connection)
      return payloads
    }

    func close() {
      if let connection { PQfinish(connection) }
      connection = nil
      prepared = [:]
    }

    private func pending(_ connection: OpaquePointer) -> [String] {
      var payloads: [String] = []
      while let notification = PQnotifies(connection) {
        payloads.append(String(cString: notification.pointee.extra))
        PQfreemem(notification)
      }
      return payloads
    }

    private func opened() throws(BackendError) -> OpaquePointer {
      if let connection, PQstatus(connection) == CONNECTION_OK { return connection }
      close()
      guard let fresh = PQconnectdb(information) else { throw .unreachable("no memory for a connection to PostgreSQL") }
      guard PQstatus(fresh) == CONNECTION_OK else {
        let message = String(cString: PQerrorMessage(fresh))
        PQfinish(fresh)
        throw .unreachable("PostgreSQL cannot be reached: \(PostgresRows.oneLine(message))")
      }
      connection = fresh
      // Notices such as "relation already exists" are for nobody.
      PQsetNoticeProcessor(fresh, { _, _ in }, nil)
      onOpen()
      return fresh
    }
  }

  /// The rows of a result, in binary format.
  final class PostgresRows {
    private let result: OpaquePointer?

    init(_ result: OpaquePointer?) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    var message: String { result.map { Self.oneLine(String(cString: PQresultErrorMessage($0))) } ?? "no answer" }

    /// The five characters of the error's SQLSTATE.
    var state: String? { PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    func integer(_ row: Int, _ column: Int) -> Int64 {
      bytes(row, column).reduce(0) { $0 << 8 | Int64($1) }
    }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
      guard let start = PQgetvalue(result, Int32(row), Int32(column)) else { return [] }
      let length = Int(PQgetlength(result, Int32(row), Int32(column)))
      return Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    static func oneLine(_ text: String) -> String {
      text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }
  }
#endif
