#if Network
  import FlowCLI
  import FlowServing
  import FlowSystem

  /// How the page in the browser is served.
  package struct UISettings: Sendable {
    /// The runs that are shown.
    package var library: RunLibrary
    /// Where to listen.
    package var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    package var port = 8470
    /// The token of the link.
    package var token: String
    /// The address that browsers use where a reverse proxy is in front.
    package var publicURL: PublicAddress?
    /// Whether nothing can be started or changed.
    package var isReadOnly = false
    /// The program that runs workflows.
    package var flowrun: String
    /// How long a client may take for each step.
    package var timeouts = ConnectionTimeouts()
    /// The most connections at once.
    package var connections = 256
    /// The most requests that are answered at once; pages that wait for news do not count.
    package var requests = 32
    /// The most pages that wait for news at once.
    package var followers = 64
    /// The most runs at once that were started here.
    package var runs = 8
    /// Seconds since any instant; the time of this machine, also while it sleeps, unless a test has another.
    package var now: @Sendable () -> Int = UISettings.seconds

    /// Serves a library to those who have the token.
    package init(library: RunLibrary, token: String, flowrun: String) {
      (self.library, self.token, self.flowrun) = (library, token, flowrun)
    }

    /// Seconds of this machine's time since it started.
    private static let seconds: @Sendable () -> Int = {
      let start = ContinuousClock.now
      return { Int(start.duration(to: .now).components.seconds) }
    }()

    /// Whether only this machine reaches the server.
    package var isLoopback: Bool { Self.loopbackNames.contains(host) || host.hasPrefix("127.") }

    static let loopbackNames = ["localhost", "127.0.0.1", "::1"]

    /// The length of a token: too long to be guessed.
    private static let tokenCharacters = 16...256

    /// What makes the settings unsafe or impossible; nil: nothing.
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

    /// A random token.
    package static func randomToken() -> String {
      var generator = SystemRandomNumberGenerator()
      return (0..<4).map { _ in
        let digits = String(generator.next(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
    }
  }

  /// An address such as `https://flows.example.com`: a scheme, a name and perhaps a port.
  package struct PublicAddress: Sendable, Hashable {
    /// `http` or `https`.
    package let scheme: String
    /// The name, with the port where the address has one: what the header `Host` says.
    package let authority: String

    /// Reads an address; nil: it is not one, or has a path.
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
