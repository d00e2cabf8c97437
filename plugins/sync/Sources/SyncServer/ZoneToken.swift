#if Network
  import FlowPlatform

  /// A zone's token as a server keeps it: its hash, from which the token cannot be derived.
  public struct ZoneToken: Hashable, Sendable {
    /// The shortest token that may be used, in characters.
    public static let shortest = 16

    /// SHA-256 of the token, as 64 hexadecimal digits.
    private let digest: String
    /// Why the token must not be used, nil when it may.
    let problem: String?

    /// Keeps a token's hash.
    public init(_ token: String) {
      digest = Self.digest(of: token)
      let count = token.utf8.count
      problem = count < Self.shortest ? "has \(count) characters, at least \(Self.shortest) are needed" : nil
    }

    /// A token of 43 characters that cannot be guessed.
    public static func random() -> String {
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
      // 43 characters of 62 hold 256 bits; the system's generator is one for secrets.
      return String((0..<43).map { _ in alphabet[Int.random(in: alphabet.indices)] })
    }

    // MARK: As text

    private static let prefix = "sha256:"
    private static let digits = Array("0123456789abcdef".utf8)

    /// How a zones file has it: `sha256:` and 64 hexadecimal digits.
    public var text: String { Self.prefix + digest }

    /// Reads what `text` gave; nil for anything else.
    public init?(text: some StringProtocol) {
      guard text.hasPrefix(Self.prefix) else { return nil }
      digest = text.dropFirst(Self.prefix.count).lowercased()
      guard digest.utf8.count == 64, digest.utf8.allSatisfy({ Self.digits.contains($0) }) else { return nil }
      problem = nil
    }

    /// Whether this is the hash of a token that someone gave, found out in the same time whatever it is.
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
