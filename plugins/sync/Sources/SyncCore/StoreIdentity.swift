/// The identity of a store: drawn when the store is made, and kept in every copy, backup and restored backup of it.
///
/// Two stores with the same content have two identities. A device sends a store nothing before it has compared them.
public struct StoreIdentity: Hashable, Sendable, CustomStringConvertible {
  /// 32 hexadecimal digits.
  public let description: String

  /// The number of digits.
  public static let length = 32

  /// Reads an identity; nil unless it has 32 hexadecimal digits in lower case.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.length,
      text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    description = String(text)
  }

  /// The identity that a number stands for; the same for the same number.
  public init(number: UInt64) { self.init(0, number) }

  /// A new identity.
  public static func drawn() -> StoreIdentity { StoreIdentity(.random(in: 1 ... .max), .random(in: 0 ... .max)) }

  private init(_ high: UInt64, _ low: UInt64) {
    description = [high, low].reduce(into: "") { text, half in
      let digits = String(half, radix: 16)
      text += String(repeating: "0", count: 16 - digits.count) + digits
    }
  }
}
