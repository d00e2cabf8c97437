#if Network
  import ArgumentParser
  import Foundation
  import SyncEngine
  import SyncPostgres
  import SyncSQLite

  /// `flowrun-sync-server store`: prints or changes the identity of a store. Devices recognize the store by it.
  struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the identity of a store, or gives a copied store its own.",
      subcommands: [Identity.self, NewIdentity.self])

    struct Place: ParsableArguments {
      @Option(help: "PostgreSQL, as libpq names it: \"host=/run/db dbname=sync\".") var postgres: String?
      @Option(help: "A SQLite file instead.") var store: String?

      func validate() throws {
        if (postgres == nil) == (store == nil) { throw ValidationError("Give either --postgres or --store.") }
        if let store, !FileManager.default.fileExists(atPath: store) {
          throw ValidationError("There is no file '\(store)'.")
        }
      }

      /// Opens the store, calls the closure for its kind and prints the result.
      func print(
        inPostgres: (PostgresBackend) async throws -> any CustomStringConvertible,
        inFile: (SQLiteBackend) async throws -> any CustomStringConvertible
      ) async throws {
        do {
          if let postgres {
            let backend = try await PostgresBackend(postgres, zones: [], mayCreate: false)
            defer { backend.close() }
            Swift.print(try await inPostgres(backend))
          } else {
            let backend = try SQLiteBackend(path: store ?? "", zones: [], mayCreate: false)
            Swift.print(try await inFile(backend))
            try backend.close()
          }
        } catch {
          FlowrunSyncServer.report("\(error)")
          throw ExitCode(1)
        }
      }
    }

    struct Identity: AsyncParsableCommand {
      static let configuration = CommandConfiguration(abstract: "Prints the identity of a store.")
      @OptionGroup var place: Place

      func run() async throws {
        try await place.print(inPostgres: { try await $0.identity() }, inFile: { try await $0.identity() })
      }
    }

    struct NewIdentity: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Makes a copy of a store a store of its own and prints its new identity.",
        discussion: """
          A copy, such as a staging system made from a backup, has the identity of its original, so devices of the original \
          accept it. Run this on the copy, never on the original: all devices of a store with a new identity are refused.
          """)
      @OptionGroup var place: Place

      func run() async throws {
        try await place.print(
          inPostgres: { try await $0.takeNewIdentity() }, inFile: { try await $0.takeNewIdentity() })
      }
    }
  }
#endif
