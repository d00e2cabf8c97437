#if Network
  import ServiceLifecycle
  import SyncEngine

  /// Reads the zones file again when it changes, so that zones can be added and removed and tokens replaced while the
  /// server is running. An unreadable file is reported once, and its previous content stays valid.
  struct ZonesService: Service {
    let file: ZonesFile
    let access: ZoneAccess
    let hub: NotificationHub
    let openZone: @Sendable (String) async throws -> Void
    let report: @Sendable (String) -> Void

    /// The interval between two checks of the file.
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
