#if Network
  import CPostgreSQL
  import FlowPlatform

  /// A connection to PostgreSQL through libpq. Its calls block, and one thread uses it at a time.
  package final class PostgresConnection {
    private let information: String
    private let answerMilliseconds: Int
    private let settings: String?
    private let onOpen: @Sendable () -> Void
    private var connection: OpaquePointer?
    /// The names of the connection's prepared statements, by their SQL.
    private var prepared: [String: String] = [:]

    /// Creates a connection, which is opened when it is first used. `settings` is a statement that runs first on every
    /// new connection; if PostgreSQL refuses it, the connection is used without it. After that, `onOpen` is called. If
    /// there is no answer within `answerMilliseconds`, the connection is closed.
    package init(
      _ information: String, answerMilliseconds: Int = 10_000, settings: String? = nil,
      onOpen: @escaping @Sendable () -> Void = {}
    ) {
      self.information = information
      self.answerMilliseconds = answerMilliseconds
      self.settings = settings
      self.onOpen = onOpen
    }

    deinit { if let connection { PQfinish(connection) } }

    /// Runs one statement with parameters and returns its rows. Opens the connection if necessary; after it has broken,
    /// the next call opens it again. A statement with parameters is parsed and planned once per connection.
    package func run(_ sql: String, _ parameters: [PostgresParameter] = []) throws(PostgresProblem) -> PostgresRows {
      let connection = try opened()
      let statement = PostgresStatement(sql: sql, parameters: parameters)
      try send(statement, as: try prepare(statement, connection), connection)
      let deadline = deadline
      let rows = try result(connection, before: deadline)
      while let more = try next(connection, before: deadline) { PQclear(more) }
      if !rows.isGood { throw failure(rows, connection) }
      return rows
    }

    /// Runs statements in one transaction and, once they are prepared, in one round trip. Returns the rows of each. The
    /// database never waits for the client during the transaction, so a client that hangs does not keep locks.
    package func runTogether(_ statements: [PostgresStatement]) throws(PostgresProblem) -> [PostgresRows] {
      let connection = try opened()
      let names = try statements.map { statement throws(PostgresProblem) in try prepare(statement, connection) }
      guard PQenterPipelineMode(connection) == 1 else { throw broken(connection) }
      for (statement, name) in zip(statements, names) { try send(statement, as: name, connection) }
      guard PQpipelineSync(connection) == 1 else { throw broken(connection) }
      let deadline = deadline
      var all: [PostgresRows] = []
      var problem: PostgresProblem?
      for _ in statements {
        let rows = try result(connection, before: deadline)
        // After a failed statement, the other results only report that their statements were not executed.
        if !rows.isGood, problem == nil { problem = Self.failure(rows) }
        all.append(rows)
        // Each statement has exactly one result.
        if let more = try next(connection, before: deadline) {
          PQclear(more)
          throw broken(connection)
        }
      }
      // The transaction is committed here, and the commit may fail, too.
      let end = try result(connection, before: deadline)
      guard end.isEnd, PQexitPipelineMode(connection) == 1 else {
        _ = broken(connection)
        throw problem ?? .unreachable("PostgreSQL did not commit: \(end.message)")
      }
      if let problem { throw problem }
      return all
    }

    private func send(
      _ statement: PostgresStatement, as name: String?, _ connection: OpaquePointer
    ) throws(PostgresProblem) {
      let isSent = PostgresArguments(statement.parameters).withPointers { count, values, lengths, formats in
        guard let name else {
          return PQsendQueryParams(connection, statement.sql, count, nil, values, lengths, formats, 1)
        }
        return PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1)
      }
      guard isSent == 1 else { throw broken(connection) }
    }

    private func result(
      _ connection: OpaquePointer, before deadline: ContinuousClock.Instant
    ) throws(PostgresProblem) -> PostgresRows {
      guard let result = try next(connection, before: deadline) else { throw broken(connection) }
      let rows = PostgresRows(result)
      if PQstatus(connection) != CONNECTION_OK { throw broken(connection) }
      return rows
    }

    /// Returns the next result, or nil after the last one. If the database does not answer in time, the connection is
    /// closed; the statements may have been executed.
    private func next(
      _ connection: OpaquePointer, before deadline: ContinuousClock.Instant
    ) throws(PostgresProblem) -> OpaquePointer? {
      while PQisBusy(connection) == 1 {
        let left = (deadline - .now) / .milliseconds(1)
        var request = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        let ready = left > 0 ? poll(&request, 1, Int32(left.rounded(.up))) : 0
        if ready == 0 {
          close()
          throw .timedOut
        }
        if PQconsumeInput(connection) != 1 { throw broken(connection) }
      }
      return PQgetResult(connection)
    }

    /// The deadline for the answer to a request that is sent now.
    private var deadline: ContinuousClock.Instant { .now + .milliseconds(answerMilliseconds) }

    /// Returns the name under which a statement is prepared. Returns nil if the statement has no parameters or cannot
    /// be prepared; in the second case, running it throws the error.
    private func prepare(
      _ statement: PostgresStatement, _ connection: OpaquePointer
    ) throws(PostgresProblem) -> String? {
      let sql = statement.sql
      if let name = prepared[sql] { return name }
      // Statements without parameters are run too rarely to be prepared.
      if statement.parameters.isEmpty { return nil }
      let name = "s\(prepared.count)"
      guard PQsendPrepare(connection, name, sql, 0, nil) == 1 else { throw broken(connection) }
      let deadline = deadline
      let rows = try result(connection, before: deadline)
      while let more = try next(connection, before: deadline) { PQclear(more) }
      guard rows.isGood else { return nil }
      prepared[sql] = name
      return name
    }

    /// Returns the error of a statement, and closes the connection if it is broken.
    private func failure(_ rows: PostgresRows, _ connection: OpaquePointer) -> PostgresProblem {
      PQstatus(connection) == CONNECTION_OK ? Self.failure(rows) : broken(connection)
    }

    private static func failure(_ rows: PostgresRows) -> PostgresProblem {
      if rows.state == "22012" { return .guardFailed }
      if rows.state == "53100" { return .storage("PostgreSQL's disk is full: \(rows.message)") }
      return .storage("PostgreSQL: \(rows.message)")
    }

    /// Closes a connection whose state is unknown, and returns the error that it reports.
    private func broken(_ connection: OpaquePointer) -> PostgresProblem {
      let message = PostgresRows.oneLine(String(cString: PQerrorMessage(connection)))
      close()
      return .unreachable("the connection to PostgreSQL broke: \(message)")
    }

    /// Waits up to `waitMilliseconds` for notifications, and returns their payloads.
    package func notifications(waitMilliseconds: Int32) throws(PostgresProblem) -> [String] {
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

    /// Closes the connection. The next call to another method opens it again.
    package func close() {
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

    private func opened() throws(PostgresProblem) -> OpaquePointer {
      if let connection, PQstatus(connection) == CONNECTION_OK { return connection }
      close()
      guard let fresh = Self.connect(information) else {
        let cause = flow_postgresql_problem().map { String(cString: $0) }
        throw .unreachable(cause ?? "no memory for a connection to PostgreSQL")
      }
      guard PQstatus(fresh) == CONNECTION_OK else {
        let message = String(cString: PQerrorMessage(fresh))
        PQfinish(fresh)
        throw .unreachable("PostgreSQL cannot be reached: \(PostgresRows.oneLine(message))")
      }
      connection = fresh
      // Ignore notices such as "relation already exists".
      PQsetNoticeProcessor(fresh, { _, _ in }, nil)
      if let settings {
        do { _ = try run(settings) } catch PostgresProblem.storage {}
      }
      onOpen()
      return fresh
    }

    /// Opens a connection. The time limit for opening it is 10 s, unless `information` contains another limit.
    private static func connect(_ information: String) -> OpaquePointer? {
      "connect_timeout".withCString { timeoutName in
        "10".withCString { timeout in
          "dbname".withCString { name in
            information.withCString { PQconnectdbParams([timeoutName, name, nil], [timeout, $0, nil], 1) }
          }
        }
      }
    }
  }
#endif
