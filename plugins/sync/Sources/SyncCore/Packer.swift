import FlowBytes

/// Writes values as compact bytes: integers as LEB128, lists and strings with their length in front.
package struct Packer: Sendable {
  /// The bytes written so far. Empty if the packer only counts.
  package private(set) var bytes: [UInt8] = []
  /// The number of bytes counted, or nil if the packer writes bytes.
  private var counted: Int?

  /// The initial capacity in bytes. Most records and writes fit, so packing them allocates memory once.
  private static let usualBytes = 160

  package init() { bytes.reserveCapacity(Self.usualBytes) }

  /// Creates a packer that only counts.
  private init(counted: Int) { self.counted = counted }

  /// Returns the number of bytes that `pack` would write, without writing them.
  package static func size(_ pack: (inout Packer) -> Void) -> Int {
    var packer = Packer(counted: 0)
    pack(&packer)
    return packer.counted ?? 0
  }

  package mutating func byte(_ value: UInt8) {
    if let counted { self.counted = counted + 1 } else { bytes.append(value) }
  }

  /// Writes an unsigned number as LEB128.
  package mutating func unsigned(_ value: UInt64) {
    if let counted {
      self.counted = counted + LEB128.size(of: value)
    } else {
      LEB128.write(value) { bytes.append($0) }
    }
  }

  package mutating func count(_ value: Int) { unsigned(UInt64(value)) }

  /// Writes a signed number. Numbers near zero take few bytes.
  package mutating func signed(_ value: Int64) { unsigned(LEB128.zigzag(value)) }

  /// Writes bytes with their length in front.
  package mutating func data(_ value: [UInt8]) {
    count(value.count)
    if let counted { self.counted = counted + value.count } else { bytes.append(contentsOf: value) }
  }

  /// Appends a 32-bit FNV-1a checksum of everything written. Every step of FNV-1a is invertible, so the checksum
  /// detects any change of a single byte.
  package mutating func seal() {
    if let counted { return self.counted = counted + 4 }
    let checksum = Self.checksum(bytes[...])
    for shift in [0, 8, 16, 24] as [UInt32] { byte(UInt8(truncatingIfNeeded: checksum >> shift)) }
  }

  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var hash = FNV1a32()
    hash.add(bytes)
    return hash.value
  }

  /// Writes a string as UTF-8, with its length in front.
  package mutating func text(_ value: String) {
    let size = value.utf8.count
    count(size)
    if let counted { self.counted = counted + size } else { bytes.append(contentsOf: value.utf8) }
  }
}
