#if Network
  import Crypto

  /// A zone's token as a server keeps it: its hash, from which nobody can tell the token.
  public struct ZoneToken: Hashable, Sendable {
    /// The shortest token that may be used, in characters.
    public static let shortest = 16

    /// SHA-256 of the token.
    private let digest: [UInt8]
    /// Why the token must not be used, nil when it may.
    let problem: String?

    /// Keeps a token's hash.
    public init(_ token: String) {
      digest = Array(SHA256.hash(data: Array(token.utf8)))
      let count = token.utf8.count
      problem = count < Self.shortest ? "has \(count) characters, at least \(Self.shortest) are needed" : nil
    }

    /// A token that nobody can guess, of 43 characters.
    public static func random() -> String {
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
      // 43 characters of 62 hold 256 bits; the system's generator is one for secrets.
      return String((0..<43).map { _ in alphabet[Int.random(in: alphabet.indices)] })
    }

    // MARK: As text

    private static let prefix = "sha256:"

    /// How a zones file has it: `sha256:` and 64 hexadecimal digits.
    public var text: String {
      Self.prefix + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Reads what `text` gave; nil for anything else.
    public init?(text: some StringProtocol) {
      guard text.hasPrefix(Self.prefix) else { return nil }
      let digits = Array(text.dropFirst(Self.prefix.count).utf8)
      var digest: [UInt8] = []
      for start in stride(from: 0, to: digits.count, by: 2) {
        guard let byte = UInt8(String(decoding: digits[start..<min(start + 2, digits.count)], as: UTF8.self), radix: 16)
        else { return nil }
        digest.append(byte)
      }
      guard digits.count == 64, digest.count == 32 else { return nil }
      self.digest = digest
      problem = nil
    }

    /// Whether this is the hash of a token that somebody gave, found out in the same time whatever it is.
    func isHash(of token: String) -> Bool {
      var difference: UInt8 = 0
      for (mine, given) in zip(digest, SHA256.hash(data: Array(token.utf8))) { difference |= mine ^ given }
      return difference == 0
    }
  }
#endif
