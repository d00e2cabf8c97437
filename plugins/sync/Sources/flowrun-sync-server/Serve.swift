#if Network
  import ArgumentParser
  import FlowServing
  import Foundation
  import SyncEngine
  import SyncPomodoro
  import SyncPostgres
  import SyncServer
  import SyncSQLite

  /// `flowrun-sync-server serve`, the default subcommand.
  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Serves zones from PostgreSQL or a SQLite file.",
      discussion: """
        Listens on loopback unless told otherwise. SIGTERM lets requests that are under way end. Zones and tokens are read \
        again when their file changes, and so is the certificate.
        """)

    @Option(help: "Where to listen.") var host = "127.0.0.1"
    @Option(help: "The port; 0 takes a free one.") var port = 8480
    @Option(help: "PostgreSQL, as libpq names it: \"host=/run/db dbname=sync\".") var postgres: String?
    @Option(help: "A SQLite file instead.") var store: String?
    @Option(help: "The file of the zones and their tokens, as 'zones add' makes it.") var zones: String?
    @Flag(help: "Serve the zone PomodoroZone to every process of this machine, without a token.") var open = false
    @Flag(help: "Take a zones file that other users of this machine can read.") var readableZones = false
    @Option(help: "A PEM file with the certificate, to serve HTTPS.") var certificate: String?
    @Option(help: "A PEM file with the certificate's key.") var key: String?
    @Flag(help: "Listen without TLS where other machines can reach it: behind a proxy that speaks TLS.") var plainHTTP =
      false
    @Option(help: "Requests allowed in any second, for each zone.") var requestsPerSecond = 40
    @Option(help: "Connections allowed at once from one address.") var connectionsPerPeer = 2048
    @Flag(help: "Make every device fetch its zone whole: after a backup was restored beneath running servers.")
    var newGeneration = false

    func validate() throws {
      if (postgres == nil) == (store == nil) { throw ValidationError("Give either --postgres or --store.") }
      if open == (zones != nil) { throw ValidationError("Give either --zones FILE or --open.") }
    }

    func run() async throws {
      let settings = try settings()
      do {
        let (backend, openZone) = try await backend(Array(settings.zones.keys))
        try await SyncServer(backend: backend, settings: settings, openZone: openZone).run(
          onListening: { [host, scheme = certificate == nil ? "http" : "https"] port in
            print("listening on \(scheme)://\(host):\(port)")
            fflush(nil)
          }, report: FlowrunSyncServer.report)
      } catch {
        FlowrunSyncServer.report("\(error)")
        throw ExitCode(1)
      }
    }

    private func settings() throws -> ServerSettings {
      var settings = ServerSettings(zones: [Pomodoro.zone: nil])
      if let zones {
        let file = ZonesFile(path: zones, mayBeReadable: readableZones)
        do {
          settings.zones = try file.zones()
          for zone in try file.clearZones() {
            FlowrunSyncServer.report(
              "the token of '\(zone)' is in '\(zones)' in clear text; the next 'zones' subcommand hashes it")
          }
        } catch {
          throw ValidationError("\(error)")
        }
        settings.zonesFile = file
      }
      (settings.host, settings.port) = (host, port)
      (settings.certificate, settings.key) = (certificate, key)
      settings.requestsPerSecond = requestsPerSecond
      settings.allowsPlainHTTP = plainHTTP
      settings.connectionsPerPeer = connectionsPerPeer
      // The process itself needs some file descriptors for files, the database and event loops.
      settings.connections = max(1, min(settings.connections, DescriptorLimit.raise() - 64))
      if let problem = settings.problem { throw ValidationError(problem) }
      return settings
    }

    private func backend(
      _ names: [String]
    ) async throws -> (any SyncBackend, @Sendable (String) async throws -> Void) {
      if let postgres {
        let backend = try await PostgresBackend(postgres, zones: names, report: FlowrunSyncServer.report)
        if newGeneration { for name in names { try await backend.beginNewGeneration(zone: name) } }
        return (backend, { try await backend.open(zone: $0) })
      }
      let backend = try SQLiteBackend(path: store ?? "", zones: names)
      if newGeneration { for name in names { try await backend.beginNewGeneration(zone: name) } }
      return (backend, { try await backend.open(zone: $0) })
    }
  }
#endif
