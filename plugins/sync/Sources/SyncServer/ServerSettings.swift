#if Network
  import FlowServing
  import SyncCore

  /// The settings of a sync server.
  public struct ServerSettings: Sendable {
    /// The zones by name, each with its token. The token is nil for a zone that any process on this machine may use.
    public var zones: [String: ZoneToken?]
    /// The file with zones and tokens, or nil. It is read again when it changes.
    public var zonesFile: ZonesFile?
    /// The address on which the server listens.
    public var host = "127.0.0.1"
    /// The port, or 0 for any free port.
    public var port = 8480
    /// The path of a PEM file with the certificate and its intermediates, or nil for HTTP. It is read again when it
    /// changes.
    public var certificate: String?
    /// The path of a PEM file with the certificate's key, or nil for HTTP.
    public var key: String?
    /// The maximum number of requests per second to each zone (S44).
    public var requestsPerSecond = 40
    /// True if the server may listen without TLS on an address that other machines can reach, for example behind a
    /// proxy that handles TLS.
    public var allowsPlainHTTP = false
    /// The time limits for clients.
    public var timeouts = Timeouts()
    /// The maximum number of open connections.
    public var connections = 10_000
    /// The maximum number of open connections from one address.
    public var connectionsPerPeer = 2048
    /// The maximum number of open live channels.
    public var channels = 1000

    /// The time limits for clients.
    public typealias Timeouts = ConnectionTimeouts

    /// Creates settings for these zones.
    public init(zones: [String: ZoneToken?]) { self.zones = zones }

    /// Creates settings for zones, given their tokens in clear text.
    public init(tokens: [String: String?]) { self.init(zones: tokens.mapValues { $0.map { ZoneToken($0) } }) }

    /// The reason why the settings are unsafe or invalid, or nil if they can be used.
    public var problem: String? {
      if zones.isEmpty, zonesFile == nil { return "there is no zone to serve" }
      let isLoopback = host == "localhost" || host == "::1" || host.hasPrefix("127.")
      for (zone, token) in zones.sorted(by: { $0.key < $1.key }) {
        guard ZoneName.isWellFormed(zone) else { return "'\(zone)' is not a name for a zone: \(ZoneName.rule)" }
        guard let token else {
          if isLoopback { continue }
          return "the zone '\(zone)' has no token and '\(host)' can be reached from other machines; give it one"
        }
        if let problem = token.problem { return "the token of '\(zone)' \(problem)" }
      }
      if (certificate == nil) != (key == nil) { return "a certificate and its key belong together; give both or none" }
      if !isLoopback, certificate == nil, !allowsPlainHTTP {
        return
          "tokens and records would travel from '\(host)' in clear text; give --certificate and --key, or put a proxy with TLS in front and say --plain-http"
      }
      if !(0...65_535).contains(port) { return "the port \(port) is not one of 0 to 65535" }
      if requestsPerSecond < 1 { return "at least one request a second must be allowed" }
      if connections < 1 || connectionsPerPeer < 1 { return "at least one connection must be allowed" }
      return nil
    }
  }
#endif
