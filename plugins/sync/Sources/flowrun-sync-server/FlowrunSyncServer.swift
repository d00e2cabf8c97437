#if Server
  import ArgumentParser
  import Foundation
  import SyncEngine
  import SyncPomodoro
  import SyncPostgres
  import SyncServer
  import SyncSQLite

  /// `flowrun-sync-server`: serves zones over HTTP, from PostgreSQL or a SQLite file.
  @main struct FlowrunSyncServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "flowrun-sync-server",
      abstract: "Serves synchronization zones to devices over HTTP.",
      discussion: """
        Listens on loopback unless told otherwise. Exit codes: 0 stopped, 1 the store or the port cannot be used, \
        64 wrong usage.
        """)

    @Option(help: "Where to listen.") var host = "127.0.0.1"
    @Option(help: "The port; 0 takes a free one.") var port = 8480
    @Option(help: "PostgreSQL, as libpq names it: \"host=/run/db dbname=sync\".") var postgres: String?
    @Option(help: "A SQLite file instead.") var store: String?
    @Option(help: "A file with a zone's name and its token in each line; keeps tokens out of the process list.")
    var zones: String?
    @Flag(help: "Serve the zone PomodoroZone to every process of this machine, without a token.") var open = false
    @Flag(help: "Take a zones file that other users of this machine can read.") var readableZones = false
    @Flag(help: "Listen without TLS where other machines can reach it: behind a proxy that speaks TLS.") var plainHTTP =
      false
    @Option(help: "Requests allowed in any second, for each zone.") var requestsPerSecond = 40
    @Flag(help: "Make every device fetch its zone whole: after a backup was restored beneath running servers.")
    var newGeneration = false

    func validate() throws {
      if (postgres == nil) == (store == nil) { throw ValidationError("Give either --postgres or --store.") }
      if open == (zones != nil) { throw ValidationError("Give either --zones FILE or --open.") }
    }

    func run() async throws {
      var settings = ServerSettings(tokens: try tokens())
      settings.host = host
      settings.port = port
      settings.requestsPerSecond = requestsPerSecond
      settings.allowsPlainHTTP = plainHTTP
      if let problem = settings.problem { throw ValidationError(problem) }
      DescriptorLimit.raise()
      do {
        let backend = try await backend(Array(settings.tokens.keys))
        try await SyncServer(backend: backend, settings: settings).run { port in
          print("listening on http://\(host):\(port)")
          fflush(nil)
        }
      } catch {
        let isTaken = "\(error)".contains("Address already in use")
        let reason = isTaken ? "the port \(port) on \(host) is taken; name another with --port" : "\(error)"
        FileHandle.standardError.write(Data("flowrun-sync-server: \(reason)\n".utf8))
        throw ExitCode(1)
      }
    }

    private func backend(_ names: [String]) async throws -> any SyncBackend {
      let policies = Dictionary(uniqueKeysWithValues: names.map { ($0, PomodoroPolicy()) })
      if let postgres {
        let backend = try await PostgresBackend(postgres, zones: policies)
        if newGeneration { for name in names { try await backend.beginNewGeneration(zone: name) } }
        return backend
      }
      let backend = try SQLiteBackend(path: store ?? "", zones: policies)
      if newGeneration { for name in names { try await backend.beginNewGeneration(zone: name) } }
      return backend
    }

    private func tokens() throws -> [String: String?] {
      guard let zones else { return [PomodoroPolicy.zone: nil] }
      let rights = (try? FileManager.default.attributesOfItem(atPath: zones))?[.posixPermissions] as? Int ?? 0
      if rights & 0o004 != 0, !readableZones {
        throw ValidationError(
          "Every user of this machine can read '\(zones)'; take the right away (chmod o-r) or say --readable-zones.")
      }
      let text: String
      do {
        text = try String(contentsOfFile: zones, encoding: .utf8)
      } catch {
        throw ValidationError("The file '\(zones)' cannot be read: \(error.localizedDescription)")
      }
      var tokens: [String: String?] = [:]
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let parts = line.split(whereSeparator: \.isWhitespace)
        if parts.isEmpty || line.hasPrefix("#") { continue }
        guard parts.count == 2 else {
          throw ValidationError("\(zones):\(index + 1): expected a zone's name and its token.")
        }
        guard tokens.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
          throw ValidationError("\(zones):\(index + 1): the zone '\(parts[0])' stands here twice.")
        }
      }
      return tokens
    }
  }
#else
  @main struct FlowrunSyncServer {
    static func main() {
      print("flowrun-sync-server: built without the package trait Server; build it with: swift build --traits Server")
    }
  }
#endif
