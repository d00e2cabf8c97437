#if Network
  import FlowPostgres
  import FlowStore

  // The tables of a store in a database.
  extension PostgresRunStore {
    /// The version of the tables that this program creates and uses.
    static let version = 1

    /// The statements that create missing tables. A lock makes other processes wait while they run.
    static let schema: [PostgresStatement] = [
      // The number of the lock is arbitrary; nothing else in the database uses it.
      "SELECT pg_advisory_xact_lock(7021337180931)",
      """
      CREATE TABLE IF NOT EXISTS flowrun_definition(hash bytea PRIMARY KEY, bytes bytea NOT NULL)
      """,
      """
      CREATE TABLE IF NOT EXISTS flowrun_run(
        number int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL UNIQUE, workflow text NOT NULL,
        file text NOT NULL, definition bytea NOT NULL, started int8 NOT NULL, state text NOT NULL, epoch int8 NOT NULL,
        process int8 NOT NULL, host text NOT NULL, header bytea NOT NULL, summary bytea NOT NULL, lease_until timestamptz,
        checksum text GENERATED ALWAYS AS (\(runChecksum)) STORED)
      """,
      "CREATE INDEX IF NOT EXISTS flowrun_run_started ON flowrun_run(started)",
      """
      CREATE TABLE IF NOT EXISTS flowrun_chunk(
        run int8 NOT NULL, seq int8 NOT NULL, epoch int8 NOT NULL, body bytea NOT NULL, checksum int8 NOT NULL,
        PRIMARY KEY(run, seq))
      """,
      """
      CREATE TABLE IF NOT EXISTS flowrun_request(
        number int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run int8 NOT NULL, body bytea NOT NULL, answer bytea,
        checksum text GENERATED ALWAYS AS (\(requestChecksum)) STORED)
      """,
      "CREATE INDEX IF NOT EXISTS flowrun_request_run ON flowrun_request(run)",
      "CREATE TABLE IF NOT EXISTS flowrun_store(version int8 NOT NULL)",
      "INSERT INTO flowrun_store SELECT \(version) WHERE NOT EXISTS (SELECT 1 FROM flowrun_store)",
      "SELECT max(version) FROM flowrun_store",
    ].map { PostgresStatement(sql: $0, parameters: []) }

    /// Returns the statements that store a definition once for all of its runs. The shared lock prevents another
    /// process from removing the definition, which no run uses yet.
    static func keep(_ definition: [UInt8]) -> [PostgresStatement] {
      [
        PostgresStatement(sql: "SELECT pg_advisory_xact_lock_shared(7021337180932)", parameters: []),
        PostgresStatement(
          sql: "INSERT INTO flowrun_definition VALUES(sha256($1), $1) ON CONFLICT DO NOTHING",
          parameters: [.bytes(definition)]),
      ]
    }

    /// The statements that remove definitions without runs.
    static let removeDefinitions = [
      "SELECT pg_advisory_xact_lock(7021337180932)",
      "DELETE FROM flowrun_definition WHERE hash NOT IN (SELECT definition FROM flowrun_run)",
    ].map { PostgresStatement(sql: $0, parameters: []) }

    /// Returns the statements that begin a transaction. A transaction that is not durable does not wait for the disk.
    static func beginning(isDurable: Bool) -> [PostgresStatement] {
      isDurable ? [] : [PostgresStatement(sql: "SELECT set_config('synchronous_commit', 'off', true)", parameters: [])]
    }

    /// The expression for the state of a run: if its row has the state `running` and its lease has expired, it is
    /// interrupted.
    static let standing = """
      CASE WHEN state = 'running' AND (lease_until IS NULL OR lease_until < clock_timestamp()) THEN 'interrupted'
      ELSE state END
      """

    /// The expression for the checksum of a run's row, except for the lease, which is renewed. It covers lengths and
    /// contents, so moving data between columns is detected. The database computes it for every write, and again when
    /// the row is read.
    static let runChecksum: String = {
      let columns = [
        "id", "workflow", "file", "encode(definition, 'hex')", "started::text", "state", "epoch::text", "process::text",
        "host", "encode(header, 'hex')", "encode(summary, 'hex')",
      ]
      return "md5(" + columns.map { "length(\($0))::text || ':' || \($0)" }.joined(separator: " || ") + ")"
    }()

    /// The expression for the checksum of a request's row.
    static let requestChecksum =
      "md5(run::text || ':' || encode(body, 'hex') || ':' || coalesce(encode(answer, 'hex'), '-'))"

    /// Returns the checksum of a chunk's row.
    static func checksum(_ index: Int, _ epoch: Int, _ body: [UInt8]) -> Int {
      Int(Checksum.of(body, behind: Checksum.of(epoch, behind: Checksum.of(index))))
    }
  }
#endif
