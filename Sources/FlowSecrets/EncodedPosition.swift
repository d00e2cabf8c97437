/// A position in the secrets that is reached through three layers. Each layer decodes escapes or base64.
///
/// A layer of escapes passes on every byte unchanged, because an escape may also be plain text. In addition, it passes
/// on the byte that an escape in JSON, percent encoding, XML or single-quoted shell text represents. So fewer than
/// three encodings, and different encodings in one text, are covered as well.
struct EncodedPosition: Hashable, Sendable {
  /// The maximum number of nested encodings.
  static let levels = 3

  /// The needles that begin with the bytes read so far are those from `low` up to, but not including, `high`. `depth`
  /// is the number of these bytes.
  var low: Int32
  var high: Int32
  var depth: Int32
  private var layers: (Layer, Layer, Layer)

  /// The decoding state of a layer.
  struct Layer: Hashable, Sendable {
    enum Kind: UInt8 {
      /// The layer is not used, because there are fewer encodings. It passes on each byte.
      case none
      /// The layer is between escapes.
      case plain
      case backslash, unicode, surrogate, surrogateBackslash
      case percent
      case ampersand, decimal, hexadecimal
      /// The layer has read `count` bytes of `'\''`. Counts from 4 on stand for `'"'"'`.
      case quote
      /// The layer decodes base64. The first `count` bits of the next byte are `value`.
      case base64
      /// The layer decodes base64. The first `count` bits of its first byte are in a character that was not read.
      case base64Start
      /// The layer decodes base64. `count` more `=` must follow.
      case padding
    }

    var kind = Kind.plain
    var count: UInt8 = 0
    var extra: UInt16 = 0
    var value: UInt32 = 0

    var isBase64: Bool { kind.rawValue >= Kind.base64.rawValue }
    var order: UInt64 { UInt64(kind.rawValue) << 56 | UInt64(count) << 48 | UInt64(extra) << 32 | UInt64(value) }
  }

  static func == (first: Self, second: Self) -> Bool {
    first.low == second.low && first.high == second.high && first.depth == second.depth
      && first.layers.0 == second.layers.0 && first.layers.1 == second.layers.1 && first.layers.2 == second.layers.2
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(low)
    hasher.combine(high)
    hasher.combine(depth)
    hasher.combine(layers.0.order)
    hasher.combine(layers.1.order)
    hasher.combine(layers.2.order)
  }

  subscript(level: Int) -> Layer {
    get { level == 1 ? layers.0 : level == 2 ? layers.1 : layers.2 }
    set {
      switch level {
      case 1: layers.0 = newValue
      case 2: layers.1 = newValue
      default: layers.2 = newValue
      }
    }
  }

  /// Returns the positions before the first byte of a text.
  ///
  /// - Parameters:
  ///   - encodings: The number of nested encodings: 1 or ``levels``.
  ///   - isInside: True if the text begins inside an encoded needle.
  static func starts(encodings: Int, isInside: Bool) -> [EncodedPosition] {
    let skips: [UInt8] = isInside ? [2, 4, 6] : [2, 4]
    let layers = [Layer(), Layer(kind: .base64)] + skips.map { Layer(kind: .base64Start, count: $0) }
    let outer = encodings == levels ? layers : [Layer(kind: .none)]
    var starts: [EncodedPosition] = []
    for first in layers {
      for second in outer {
        for third in outer {
          starts.append(EncodedPosition(low: 0, high: .max, depth: 0, layers: (first, second, third)))
        }
      }
    }
    return starts
  }

  /// True if every layer is unused or between escapes.
  var isPlain: Bool {
    layers.0.kind.rawValue <= Layer.Kind.plain.rawValue && layers.1.kind.rawValue <= Layer.Kind.plain.rawValue
      && layers.2.kind.rawValue <= Layer.Kind.plain.rawValue
  }

  /// True if any layer decodes base64.
  var isBase64: Bool { layers.0.isBase64 || layers.1.isBase64 || layers.2.isBase64 }

  /// True if at least one byte of a needle has been read.
  var hasBegun: Bool { depth > 0 }

  /// The indices of the needles that begin with the bytes read so far, at most 8.
  var candidates: Range<Int> { Int(low)..<min(Int(high), Int(low) + 8) }

  /// For each layer, from the innermost to the outermost, true if it decodes base64.
  var base64Layers: [Bool] { [layers.0.isBase64, layers.1.isBase64, layers.2.isBase64] }
}

extension EncodedPosition: Comparable {
  static func < (first: Self, second: Self) -> Bool {
    (first.low, first.high, first.depth, first.layers.0.order, first.layers.1.order, first.layers.2.order)
      < (second.low, second.high, second.depth, second.layers.0.order, second.layers.1.order, second.layers.2.order)
  }
}
