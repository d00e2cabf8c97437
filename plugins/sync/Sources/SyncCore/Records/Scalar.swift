/// The value of a field or list element. Values of one type sort in the same order as their bytes.
public enum Scalar: Hashable, Sendable {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A finite number.
  case number(Double)
  /// A string.
  case text(String)
  /// A list or an object as JSON text.
  case json(String)

  private enum Tag {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let integer: UInt8 = 0x10
    static let number: UInt8 = 0x20
    static let text: UInt8 = 0x30
    static let json: UInt8 = 0x40
  }

  /// The value as bytes. Equal values have equal bytes.
  public var bytes: [UInt8] {
    switch self {
    case .null: [Tag.null]
    case .boolean(let value): [value ? Tag.yes : Tag.no]
    case .integer(let value): [Tag.integer] + Self.bigEndian(UInt64(bitPattern: value) ^ 1 << 63)
    case .number(let value): [Tag.number] + Self.bigEndian(Self.ordered(value == 0 ? 0 : value))
    case .text(let value): [Tag.text] + value.utf8
    case .json(let value): [Tag.json] + value.utf8
    }
  }

  /// Reads a value from its bytes. Returns nil if they are invalid.
  public init?(bytes: [UInt8]) {
    guard let tag = bytes.first else { return nil }
    let rest = bytes.dropFirst()
    switch tag {
    case Tag.null where rest.isEmpty: self = .null
    case Tag.no where rest.isEmpty: self = .boolean(false)
    case Tag.yes where rest.isEmpty: self = .boolean(true)
    case Tag.integer where rest.count == 8: self = .integer(Int64(bitPattern: Self.number(rest) ^ 1 << 63))
    case Tag.number where rest.count == 8:
      let ordered = Self.number(rest)
      let value = Double(bitPattern: ordered >> 63 == 1 ? ordered ^ 1 << 63 : ~ordered)
      guard value.isFinite else { return nil }
      self = .number(value)
    case Tag.text:
      guard let text = String(validating: rest, as: UTF8.self) else { return nil }
      self = .text(text)
    case Tag.json:
      guard let text = String(validating: rest, as: UTF8.self) else { return nil }
      self = .json(text)
    default: return nil
    }
  }

  private static func ordered(_ value: Double) -> UInt64 {
    let bits = value.bitPattern
    return bits >> 63 == 1 ? ~bits : bits ^ 1 << 63
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
