/// The identity of a store. It is drawn when the store is created, and copied with every copy and backup.
///
/// Two stores with the same content have different identities. A device compares them before it sends anything to a
/// store.
public struct StoreIdentity: Hashable, Sendable, CustomStringConvertible {
  /// 32 hexadecimal digits.
  public let description: String

  /// The number of digits.
  package static let length = 32

  /// Parses an identity. Returns nil unless it has 32 lowercase hexadecimal digits.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.length,
      text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    description = String(text)
  }

  /// Creates an identity from a number. Equal numbers result in equal identities.
  package init(number: UInt64) { self.init(0, number) }

  /// Draws a new identity.
  package static func drawn() -> StoreIdentity { StoreIdentity(.random(in: 1 ... .max), .random(in: 0 ... .max)) }

  private init(_ high: UInt64, _ low: UInt64) {
    description = [high, low].reduce(into: "") { text, half in
      let digits = String(half, radix: 16)
      text += String(repeating: "0", count: 16 - digits.count) + digits
    }
  }
}
