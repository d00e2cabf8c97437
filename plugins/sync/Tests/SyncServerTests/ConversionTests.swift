#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncPomodoro
  import SyncPostgres
  import Testing
  import TestSupport

  /// A database of an earlier version is converted once, when a server opens it.
  @Suite(.timeLimit(.minutes(1))) struct ConversionTests {
    /// Settings as version 0.9 kept them: `theme` is `light`.
    private static let settings =
      "08010c6d61632d303030303030303102a4520170a2b402d0a3ad9ece310000000001057468656d65000000056c696768749fdb4f2d"

    private func page(_ backend: PostgresBackend) async throws -> ChangePage {
      try await backend.changes(zone: Pomodoro.zone, since: nil, limit: 9, maximumBytes: 1 << 16)
    }

    @Test func `records of before become records of collections, once, and the old ones are kept`() async throws {
      let database = try Database()
      try await PostgresBackend(database.information, zones: [Pomodoro.zone]).close()
      try database.execute(
        """
        UPDATE sync_zone SET is_converted = false, seq = 7;
        INSERT INTO sync_record VALUES ('\(Pomodoro.zone)', 'CD_Settings', 'settings', 3, 7, '\\x\(Self.settings)');
        """)
      // Two servers that start at the same time.
      let information = database.information
      async let one = PostgresBackend(information, zones: [Pomodoro.zone])
      async let other = PostgresBackend(information, zones: [Pomodoro.zone])
      let backends = try await [one, other]
      defer { for backend in backends { backend.close() } }
      let record = try #require(try await page(backends[0]).records.first)
      #expect(record.key == Pomodoro.settings && record.version == 3 && record.sequence == 7)
      #expect(record.cell.fields.map(\.value) == [Scalar.text("light").bytes])
      #expect(
        try database.value("SELECT count(*) FROM sync_record_before_conversion WHERE type = 'CD_Settings'") == "1")
      #expect(try database.value("SELECT string_agg(type || records, ' ') FROM sync_collection") == "settings1")
      #expect(try database.value("SELECT count(*) FROM sync_zone WHERE is_converted") == "1")
    }

    @Test func `a damaged record of before is named, and nothing is converted`() async throws {
      let database = try Database()
      try await PostgresBackend(database.information, zones: [Pomodoro.zone]).close()
      try database.execute(
        """
        UPDATE sync_zone SET is_converted = false;
        INSERT INTO sync_record VALUES ('\(Pomodoro.zone)', 'CD_Settings', 'settings', 3, 7, '\\x0801ff');
        """)
      await #expect {
        try await PostgresBackend(database.information, zones: [Pomodoro.zone])
      } throws: {
        "\($0)".contains("a damaged record of an earlier version, 'CD_Settings/settings'")
      }
      #expect(try database.value("SELECT count(*) FROM sync_record WHERE type = 'CD_Settings'") == "1")
    }
  }
#endif
