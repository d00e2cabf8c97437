#if Network
  import ServiceLifecycle
  import SyncEngine

  /// Reads the zones file again when it has changed: zones come and go, and tokens are exchanged, while the server runs.
  /// A file that cannot be read is reported once, and what counted before it counts on.
  struct ZonesService: Service {
    let file: ZonesFile
    let access: ZoneAccess
    let hub: NotificationHub
    let openZone: @Sendable (String) async throws -> Void
    let report: @Sendable (String) -> Void

    /// How often the file is looked at.
    static let pause = Duration.milliseconds(500)

    func run() async throws {
      await cancelWhenGracefulShutdown {
        var (known, problem) = ("", "")
        while true {
          let stamp = file.stamp() ?? ""
          if stamp != known {
            do {
              try await take(try file.zones())
              (known, problem) = (stamp, "")
            } catch {
              if "\(error)" != problem { report("\(error); the zones and tokens before it count on") }
              problem = "\(error)"
            }
          }
          guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
        }
      }
    }

    private func take(_ zones: [String: ZoneToken?]) async throws {
      for (zone, token) in zones {
        if let problem = token?.problem {
          throw ZonesFile.ZonesProblem(description: "the token of '\(zone)' \(problem)")
        }
      }
      for zone in Set(zones.keys).subtracting(access.names).sorted() { try await openZone(zone) }
      for zone in access.replace(with: zones) {
        hub.finish(zone: zone, throwing: .notAuthenticated("the token of the zone '\(zone)' has changed"))
      }
    }
  }
#endif
