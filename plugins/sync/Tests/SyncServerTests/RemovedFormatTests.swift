#if Network
  import SyncEngine
  import SyncPomodoro
  import SyncPostgres
  import Testing
  import TestSupport

  /// A database of a version before the first release, which is refused and left unchanged.
  @Suite(.timeLimit(.minutes(10))) struct RemovedFormatTests {
    @Test(arguments: [
      "CREATE TABLE sync_zone (name text PRIMARY KEY, generation int8 NOT NULL, seq int8 NOT NULL)",
      """
      CREATE TABLE sync_zone (
        name text PRIMARY KEY, generation int8 NOT NULL, seq int8 NOT NULL, is_converted boolean NOT NULL DEFAULT false)
      """,
    ])
    func `a database in an unsupported format is refused and left unchanged`(_ table: String) async throws {
      let database = try Database()
      try database.execute("\(table); INSERT INTO sync_zone (name, generation, seq) VALUES ('old', 7, 3)")
      await #expect {
        try await PostgresBackend(database.information, zones: [Pomodoro.zone])
      } throws: {
        "\($0)".contains("a zone, 'old', of a version before 0.9.0") && "\($0)".contains("name another database")
      }
      #expect(try database.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "1")
      #expect(try database.value("SELECT name || generation || seq FROM sync_zone") == "old73")
    }
  }
#endif
