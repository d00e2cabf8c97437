import FlowModel
import FlowPluginKit
import FlowSQLite
import FlowTestKit
import Foundation
import StorageCore
import Testing

@testable import StoragePlugin

struct `Opening a store` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens the store in a separate run, as a launch of an app does, and closes it at the end of the run.
  @discardableResult private func launch(_ inputs: ValueObject = ["path": "store.sqlite"]) async throws -> ValueObject {
    let host = TestHost(dataFolder: folder.path, workflowFolder: folder.path)
    let outputs = try await host.call(OpenStore.self, with: inputs)
    try host.closeHandles()
    return outputs
  }

  private func code(_ inputs: ValueObject = ["path": "store.sqlite"]) async -> String? {
    do {
      try await launch(inputs)
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }

  @Test func `L5: creates a file with only the tables of its migrations, and opens it the next time`() async throws {
    let first = try await launch()
    #expect(first["path"] == .string(folder.file("store.sqlite")))
    #expect(first["created"] == true)
    #expect(first["migrated"] == ["1-store"])
    let other = try SQLiteConnection(folder.file("store.sqlite"))
    let tables = try other.all("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) }
    #expect(tables == ["Migration"])
    try other.execute("CREATE TABLE Note (text TEXT); INSERT INTO Note VALUES ('one')")
    other.close()
    let second = try await launch()
    #expect(second["created"] == false)
    #expect(second["migrated"] == [])
    let again = try SQLiteConnection(folder.file("store.sqlite"))
    #expect(try again.integer("SELECT count(*) FROM Note") == 1)
  }

  @Test func `creates missing parent folders`() async throws {
    #expect(try await launch(["path": "a/b/c.sqlite"])["created"] == true)
    #expect(FileManager.default.fileExists(atPath: folder.file("a/b/c.sqlite")))
  }

  @Test func `lets only the user access the store, its journals and new folders`() async throws {
    let host = TestHost(dataFolder: folder.path, workflowFolder: folder.path)
    _ = try await host.call(OpenStore.self, with: ["path": "a/b/c.sqlite"])
    func permissions(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
    }
    for name in ["c.sqlite", "c.sqlite-wal", "c.sqlite-shm"] {
      #expect(try permissions("a/b/\(name)") == 0o600, "\(name)")
    }
    for name in ["a", "a/b"] { #expect(try permissions(name) == 0o700, "\(name)") }
    try host.closeHandles()
  }

  /// A launch is expected to take 50 to 200 ms, so a plugin must not access files before it is used (L7).
  @Test func `P9, L7: does not access files when the plugin is created, and needs no configuration`() async throws {
    _ = ActionRegistry([StoragePlugin()])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    #expect(try await launch([:])["path"] == .string(folder.file("store.sqlite")))
  }

  @Test func `applies the migrations of a workflow once, in order`() async throws {
    try folder.write("CREATE TABLE Note (text TEXT)", to: "001-notes.sql")
    try folder.write("INSERT INTO Note VALUES ('one'); INSERT INTO Note VALUES ('two')", to: "002-fill.sql")
    let inputs: ValueObject = ["path": "n.sqlite", "migrations": ["001-notes.sql", "002-fill.sql"]]
    #expect(try await launch(inputs)["migrated"] == ["1-store", "file:001-notes.sql", "file:002-fill.sql"])
    #expect(try await launch(inputs)["migrated"] == [])
    #expect(try await launch(["path": "n.sqlite"])["migrated"] == [])
  }

  @Test func `reports a migration that fails, and leaves the store unchanged`() async throws {
    try folder.write("CREATE TABLE Note (text TEXT); INSERT INTO Nowhere VALUES (1)", to: "001.sql")
    await #expect {
      try await launch(["path": "n.sqlite", "migrations": ["001.sql"]])
    } throws: { error in
      guard let error = error as? ActionError else { return false }
      return error.code == "migration-failed" && error.message.contains("'001.sql'")
        && error.message.contains("no such table: Nowhere")
    }
    let other = try SQLiteConnection(folder.file("n.sqlite"))
    #expect(try !other.hasTable("Note"))
    #expect(try !other.hasTable("Migration"))
  }

  @Test(
    arguments: [
      "COMMIT", "COMMIT; CREATE TABLE Left (a); BEGIN", "ROLLBACK", "SAVEPOINT s",
      "ATTACH 'other.sqlite' AS o; CREATE TABLE o.Left (a)", "DROP TABLE Migration",
      "INSERT INTO Migration VALUES ('file:002.sql')", "CREATE TABLE ExecutedStep (a)",
      "CREATE TRIGGER t AFTER INSERT ON Migration BEGIN SELECT 1; END", "PRAGMA application_id = 7",
      "PRAGMA writable_schema = 1",
    ])
  func `refuses a migration that ends its transaction, attaches a file or changes the plugin's tables or settings`(
    sql: String
  ) async throws {
    try folder.write("CREATE TABLE Note (text TEXT)", to: "001.sql")
    try folder.write(sql, to: "002.sql")
    #expect(await code(["path": "n.sqlite", "migrations": ["001.sql", "002.sql"]]) == "migration-failed")
    let store = try SQLiteConnection(folder.file("n.sqlite"))
    for table in ["Note", "Migration", "Left"] { #expect(try !store.hasTable(table)) }
    #expect(!FileManager.default.fileExists(atPath: folder.file("other.sqlite")))
  }

  @Test func `applies a migration that sets a version, changes a table and makes a trigger`() async throws {
    try folder.write(
      """
      PRAGMA user_version = 3;
      CREATE TABLE Note (text TEXT);
      CREATE TABLE Log (text TEXT);
      CREATE TRIGGER t AFTER INSERT ON Note BEGIN INSERT INTO Log VALUES (new.text); END;
      INSERT INTO Note VALUES ('a');
      ALTER TABLE Log RENAME COLUMN text TO line;
      """, to: "001.sql")
    #expect(await code(["path": "n.sqlite", "migrations": ["001.sql"]]) == nil)
    let store = try SQLiteConnection(folder.file("n.sqlite"))
    #expect(try store.integer("SELECT count(*) FROM Log WHERE line = 'a'") == 1)
  }

  @Test func `refuses a missing, oversized, non-text or duplicate migration without creating the store`()
    async throws
  {
    try folder.write(String(repeating: "-", count: FileMigration.limitBytes), to: "edge.sql")
    try folder.write(String(repeating: "-", count: FileMigration.limitBytes + 1), to: "large.sql")
    try Data([0x2D, 0x2D, 0xFF]).write(to: URL(filePath: folder.file("bytes.sql")))
    for migrations: Value in [["none.sql"], ["large.sql"], ["bytes.sql"], ["edge.sql", "edge.sql"]] {
      #expect(await code(["path": "m.sqlite", "migrations": migrations]) == "migration-unreadable")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("m.sqlite")))
    #expect(await code(["path": "m.sqlite", "migrations": ["edge.sql"]]) == nil)
  }

  @Test func `L6: refuses a file that is not a database and leaves it unchanged`() async throws {
    let text = String(repeating: "This is a diary, not a database. ", count: 200)
    try folder.write(text, to: "store.sqlite")
    #expect(await code() == "not-a-database")
    #expect(try String(contentsOfFile: folder.file("store.sqlite"), encoding: .utf8) == text)
  }

  @Test func `refuses a path that is a folder`() async throws {
    try FileManager.default.createDirectory(atPath: folder.file("store.sqlite"), withIntermediateDirectories: true)
    #expect(await code() == "not-a-database")
  }

  @Test func `refuses another program's database and leaves it unchanged`() async throws {
    try SQLiteConnection(folder.file("store.sqlite")).execute("CREATE TABLE Song (title TEXT)")
    let before = try Data(contentsOf: URL(filePath: folder.file("store.sqlite")))
    #expect(await code() == "foreign-store")
    #expect(try Data(contentsOf: URL(filePath: folder.file("store.sqlite"))) == before)
    #expect(try !SQLiteConnection(folder.file("store.sqlite")).hasTable("Migration"))
  }

  @Test func `refuses a store of a newer version, reports its unknown migration and leaves it unchanged`() async throws
  {
    try await launch()
    let newer = try SQLiteConnection(folder.file("store.sqlite"))
    try newer.execute("INSERT INTO Migration VALUES ('2-hovercraft')")
    newer.close()
    // After the last connection was closed, the database file contains everything.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    let before = try Data(contentsOf: URL(filePath: folder.file("store.sqlite")))
    await #expect {
      try await launch()
    } throws: { error in
      guard let error = error as? ActionError else { return false }
      return error.code == "store-is-newer" && error.isRetryable == false && error.message.contains("'2-hovercraft'")
        && error.message.contains(folder.file("store.sqlite"))
    }
    #expect(try Data(contentsOf: URL(filePath: folder.file("store.sqlite"))) == before)
    #expect(try SQLiteConnection(folder.file("store.sqlite")).integer("SELECT count(*) FROM Migration") == 2)
  }

  @Test func `reports a damaged store`() async throws {
    try await launch()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    let handle = try #require(FileHandle(forUpdatingAtPath: folder.file("store.sqlite")))
    try handle.seek(toOffset: 100)
    try handle.write(contentsOf: Data(repeating: 0x5A, count: 3000))
    try handle.close()
    await #expect {
      try await launch()
    } throws: { ($0 as? ActionError)?.code == "store-corrupt" }
  }

  @Test(.timeLimit(.minutes(10)))
  func `fails with a retryable error if another connection keeps the store locked`()
    async throws
  {
    try await launch()
    let holder = try SQLiteConnection(folder.file("store.sqlite"))
    try holder.execute("BEGIN IMMEDIATE")
    try folder.write("CREATE TABLE Note (text TEXT)", to: "1.sql")
    let host = TestHost(dataFolder: folder.path, workflowFolder: folder.path)
    host.setRemaining(.milliseconds(50))
    await #expect {
      try await host.call(OpenStore.self, with: ["migrations": ["1.sql"]])
    } throws: { ($0 as? ActionError)?.code == "store-locked" && ($0 as? ActionError)?.isRetryable == true }
    try holder.execute("ROLLBACK")
    #expect(try await host.call(OpenStore.self, with: ["migrations": ["1.sql"]])["migrated"] == ["file:1.sql"])
    try host.closeHandles()
  }

  @Test func `suggests a remedy for every failure, and marks only locks and unknown errors as retryable`() {
    for failure in StoreFailure.allCases {
      let message = failure.error("it failed", "cause").message
      #expect(message.hasPrefix("it failed (cause); "))
      #expect(failure.declaration.isRetryable == [.storeLocked, .storeFailed].contains(failure))
    }
    #expect(Set(OpenStore.errors.map(\.code)).count == OpenStore.errors.count)
  }

  @Test func `reports SQLite's error for a full disk as disk-full`() {
    let error = StoreFailure.translate(SQLiteError(.full), path: folder.file("store.sqlite"))
    #expect((error as? ActionError)?.code == "disk-full")
  }
}
