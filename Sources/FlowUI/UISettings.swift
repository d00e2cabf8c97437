#if Network
  import FlowCLI
  import FlowServing
  import FlowSystem

  /// The settings of the web server of `flowrun ui`.
  package struct UISettings: Sendable {
    /// The library of the runs that pages show.
    package var library: RunLibrary
    /// The address at which the server listens.
    package var host = "127.0.0.1"
    /// The port at which the server listens, or 0 for any free port.
    package var port = 8470
    /// The token that the link must contain.
    package var token: String
    /// The server's address for browsers if there is a reverse proxy. Otherwise nil.
    package var publicURL: PublicAddress?
    /// True if pages offer no actions that start or change runs.
    package var isReadOnly = false
    /// The path of the program that runs workflows.
    package var flowrun: String
    /// The time limits for clients in each phase of a connection.
    package var timeouts = ConnectionTimeouts()
    /// The maximum number of open connections.
    package var connections = 256
    /// The maximum number of requests in progress, not counting event streams.
    package var requests = 32
    /// The maximum number of open event streams.
    package var followers = 64
    /// The maximum number of runs started here that may run at the same time.
    package var runs = 8
    /// Returns the seconds since a fixed instant. By default, they include the time during which this machine sleeps.
    /// Tests can replace the function.
    package var now: @Sendable () -> Int = UISettings.seconds

    /// Creates settings with default values for everything else.
    package init(library: RunLibrary, token: String, flowrun: String) {
      (self.library, self.token, self.flowrun) = (library, token, flowrun)
    }

    /// Returns the seconds since the program first used this clock. They include the time during which the machine
    /// sleeps.
    private static let seconds: @Sendable () -> Int = {
      let start = ContinuousClock.now
      return { Int(start.duration(to: .now).components.seconds) }
    }()

    /// True if only this machine can reach the server.
    package var isLoopback: Bool { Self.loopbackNames.contains(host) || host.hasPrefix("127.") }

    static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// The allowed lengths of a token. It must be too long to be guessed.
    private static let tokenCharacters = 16...256

    /// The reason why the settings are unsafe or invalid, or nil if they can be used.
    package var problem: String? {
      guard Self.tokenCharacters.contains(token.utf8.count), token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        return "the token needs 16 to 256 printable characters of ASCII without spaces"
      }
      guard (0...65_535).contains(port) else { return "the port \(port) is not one of 0 to 65535" }
      if ["0.0.0.0", "::"].contains(host), publicURL == nil {
        return "--listen \(host) accepts any name of this machine; add --public-url with the address that browsers use"
      }
      return nil
    }

    /// Returns a random token of 64 hexadecimal digits.
    package static func randomToken() -> String {
      var generator = SystemRandomNumberGenerator()
      return (0..<4).map { _ in
        let digits = String(generator.next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
    }
  }

  /// An address such as `https://flows.example.com`, which consists of a scheme, a host name and an optional port.
  package struct PublicAddress: Sendable, Hashable {
    /// The scheme, `http` or `https`.
    package let scheme: String
    /// The host name with the port, if there is one, as in the header `Host`.
    package let authority: String

    /// Parses an address. Returns nil if it is invalid or has a path.
    package init?(_ text: String) {
      let parts = text.split(separator: "://", maxSplits: 1).map(String.init)
      guard parts.count == 2, ["http", "https"].contains(parts[0]) else { return nil }
      let authority = parts[1].hasSuffix("/") ? String(parts[1].dropLast()) : parts[1]
      guard !authority.isEmpty,
        authority.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]".contains($0)) })
      else { return nil }
      (scheme, self.authority) = (parts[0], authority.lowercased())
    }
  }
#endif
