/// The identity of a store, drawn at random when the store is created. Copies and backups keep it.
///
/// Independent stores with the same content have different identities. A device checks the identity before it sends
/// anything to a store.
public struct StoreIdentity: Hashable, Sendable, CustomStringConvertible {
  /// The identity as 32 lowercase hexadecimal digits.
  public let description: String

  package static let length = 32

  /// Parses an identity. Returns nil unless it has 32 lowercase hexadecimal digits.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.length,
      text.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
    else { return nil }
    description = String(text)
  }

  /// Creates an identity from a number, for tests and simulations.
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
