#if Network
  import FlowPlatform

  /// The token of a zone, stored as a hash that does not reveal it.
  public struct ZoneToken: Hashable, Sendable {
    /// The minimum length of a token, in bytes of UTF-8.
    public static let shortest = 16

    /// The SHA-256 hash of the token, as 64 hexadecimal digits.
    private let digest: String
    /// The reason why the token is not safe, or nil if it can be used.
    let problem: String?

    /// Creates the hash of a token. A token that is too short has a `problem`.
    public init(_ token: String) {
      digest = Self.digest(of: token)
      let count = token.utf8.count
      problem = count < Self.shortest ? "has \(count) characters, at least \(Self.shortest) are needed" : nil
    }

    /// Returns a new random token of 43 characters.
    public static func random() -> String {
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
      // 43 random characters out of 62 have 256 bits of entropy. The system's generator is suitable for secrets.
      return String((0..<43).map { _ in alphabet[Int.random(in: alphabet.indices)] })
    }

    // MARK: Text form

    private static let prefix = "sha256:"
    private static let digits = Array("0123456789abcdef".utf8)

    /// The hash as written in a zones file: `sha256:` and 64 hexadecimal digits.
    public var text: String { Self.prefix + digest }

    /// Parses the output of `text`. Returns nil for any other text.
    public init?(text: some StringProtocol) {
      guard text.hasPrefix(Self.prefix) else { return nil }
      digest = text.dropFirst(Self.prefix.count).lowercased()
      guard digest.utf8.count == 64, digest.utf8.allSatisfy({ Self.digits.contains($0) }) else { return nil }
      problem = nil
    }

    /// True if this is the hash of a token. The comparison always takes the same time.
    func isHash(of token: String) -> Bool {
      var difference: UInt8 = 0
      for (mine, given) in zip(digest.utf8, Self.digest(of: token).utf8) { difference |= mine ^ given }
      return difference == 0
    }

    private static func digest(of token: String) -> String {
      var hash = SHA256()
      hash.combine(Array(token.utf8))
      return hash.finish()
    }
  }
#endif
