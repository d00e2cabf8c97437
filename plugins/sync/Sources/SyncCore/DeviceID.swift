/// The stable, unique name of a device in a zone, such as `mac-3f2a91c0` (S28).
///
/// It is chosen when the device's local file is created and never changes. If all other rules result in a tie, names
/// are compared byte by byte. They therefore consist of 1 to 64 ASCII letters, digits, `.`, `_` and `-`.
public struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as text.
  public let name: String

  /// The maximum length of a name, in bytes.
  package static let maximumLength = 64

  /// Creates an identity from its name. Returns nil if the name is invalid.
  public init?(_ name: String) {
    guard Self.isWellFormed(name) else { return nil }
    self.name = name
  }

  /// Creates a new identity from a readable stem and 32 random bits in hexadecimal. Invalid characters of the stem
  /// become `-`. A stem that is too long is truncated, and an empty one is replaced by `device`.
  package init(stem: String, random: UInt32) { self.init(stem, String(random, radix: 16), 8) }

  private init(_ stem: String, _ digits: String, _ count: Int) {
    let kept = stem.utf8.prefix(Self.maximumLength - count - 1).map { Self.allows($0) ? $0 : UInt8(ascii: "-") }
    let padding = String(repeating: "0", count: count - digits.count)
    name = String(decoding: kept.isEmpty ? Array("device".utf8) : kept, as: UTF8.self) + "-" + padding + digits
  }

  /// Returns the device name under which a record stores an act if another copy of the device's file has already used
  /// the act's number. The name depends only on the incarnation, so all copies send the act under the same name.
  package func branch(_ incarnation: UInt64) -> DeviceID { DeviceID(stem, String(incarnation, radix: 16), 16) }

  /// The readable part of the name before its random digits, or the whole name if it has none.
  package var stem: String {
    for count in [17, 9] {
      let end = name.utf8.suffix(count)
      let isRandom =
        count == 9
        || end.dropFirst().allSatisfy {
          UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
        }
      if name.utf8.count > count, end.first == UInt8(ascii: "-"), isRandom { return String(name.dropLast(count)) }
    }
    return name
  }

  /// True if a string is a valid device name.
  package static func isWellFormed(_ name: String) -> Bool {
    (1...maximumLength).contains(name.utf8.count) && name.utf8.allSatisfy(allows)
  }

  /// Compares the bytes of the names.
  public static func < (left: DeviceID, right: DeviceID) -> Bool { left.name < right.name }

  /// The name.
  public var description: String { name }

  private static func allows(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      return true
    default: return false
    }
  }
}
