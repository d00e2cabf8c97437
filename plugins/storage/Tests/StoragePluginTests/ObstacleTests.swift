import FlowPluginKit
import Foundation
import StorageCore
import Testing

@testable import StoragePlugin

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

#if os(Linux) || os(macOS)
  /// Tests errors of the file system in a child process without the rights of root.
  struct `A store without the necessary permissions` {
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      try Store.open(at: folder.file("store.sqlite")).store.close()
    }

    private func allow(_ mode: mode_t, _ name: String = "store.sqlite") { chmod(folder.file(name), mode) }

    /// Opens the store without the rights of root and returns the error code.
    static func failure(at path: String) -> String? {
      if getuid() == 0 { setuid(65534) }
      return failureAsIs(at: path)
    }

    /// Opens the store with the permissions of this process. Returns the error code, or nil if the store could be opened.
    static func failureAsIs(at path: String) -> String? {
      do {
        // The table is larger than the file size limit in one of the tests.
        let fill = FileMigration(
          name: "fill.sql",
          sql: "CREATE TABLE Fill (text TEXT); INSERT INTO Fill VALUES (hex(zeroblob(100000)))")
        _ = try Store.open(at: path, Store.Options(migrations: [fill]))
        return nil
      } catch {
        return (error as? ActionError)?.code ?? "\(error)"
      }
    }

    @Test func `reports that its file cannot be read`() async {
      allow(0o000)
      await #expect(processExitsWith: .success) { [path = folder.file("store.sqlite") as String] in
        #expect(Self.failure(at: path) == "store-unreadable")
      }
    }

    @Test func `reports that its file is not writable`() async {
      allow(0o444)
      await #expect(processExitsWith: .success) { [path = folder.file("store.sqlite") as String] in
        #expect(Self.failure(at: path) == "store-read-only")
      }
    }

    @Test func `R6: reports that its folder is not writable`() async {
      allow(0o555, "")
      await #expect(processExitsWith: .success) { [path = folder.file("new.sqlite") as String] in
        #expect(Self.failure(at: path) == "folder-not-writable")
      }
      await #expect(processExitsWith: .success) { [path = folder.file("sub/new.sqlite") as String] in
        #expect(Self.failure(at: path) == "folder-not-writable")
      }
      allow(0o755, "")
    }

    @Test func `R6: reports a file size limit as a full disk and discards the migration`() async throws {
      let path = folder.file("new.sqlite")
      await #expect(processExitsWith: .success) { [path = path as String] in
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 40_000, rlim_max: 40_000)
        #if canImport(Glibc)
          setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
          setrlimit(RLIMIT_FSIZE, &limit)
        #endif
        #expect(Self.failureAsIs(at: path) == "disk-full")
      }
      let opening = try Store.open(at: path)
      #expect(try opening.store.pool.read { try !$0.hasTable("Fill") })
      opening.store.close()
    }
  }
#endif
