/// A control sequence of a terminal according to ECMA-48, for colors, cursor moves, titles, links or character sets.
struct EscapeSequence {
  /// The last character of a sequence that begins with `ESC [` or U+009B, such as `m` for colors. It determines the
  /// effect. Nil for any other sequence, and if the sequence is incomplete or invalid.
  private(set) var action: Unicode.Scalar?
  /// The characters before ``action``. Empty if that is nil.
  private(set) var parameters: Substring.UnicodeScalarView
  /// The position of the first character after the sequence.
  private(set) var end: String.Index
  /// All characters of the sequence.
  let text: Substring.UnicodeScalarView

  /// True if the sequence only sets colors or weight.
  var isColor: Bool {
    action == "m" && text.first == "\u{1B}"
      && parameters.allSatisfy { "0"..."9" ~= $0 || $0 == ";" || $0 == ":" }
  }

  /// Returns the first parameter as a number, or `standard` if there are no parameters or they are not one number.
  func count(default standard: Int) -> Int { parameters.isEmpty ? standard : Int(String(parameters)) ?? standard }

  /// Returns true for characters that begin a sequence: ESC, and the C1 characters that stand for ESC and one of `P`,
  /// `X`, `[`, `]`, `^` and `_`.
  static func isStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1B, 0x90, 0x98, 0x9B, 0x9D...0x9F: true
    default: false
    }
  }

  /// Reads the sequence at the beginning of `scalars`. Every sequence ends before a line break. An incomplete one ends
  /// with the text.
  init(at scalars: Substring.UnicodeScalarView) {
    var rest = scalars
    let first = rest.removeFirst()
    (action, parameters, end) = (nil, rest[rest.startIndex..<rest.startIndex], rest.startIndex)
    var kind = first
    if first == "\u{1B}" {
      guard let next = rest.first else {
        text = scalars[..<end]
        return
      }
      kind = next
    } else {
      kind = Unicode.Scalar(first.value - 0x40)!
    }
    switch kind {
    case "[":
      if first == "\u{1B}" { rest.removeFirst() }
      (action, parameters, end) = Self.control(rest) ?? (nil, parameters, end)
    case "]", "P", "X", "^", "_": end = Self.endOfString(rest)
    case "\u{20}"..."\u{2F}": end = Self.endOfDesignation(rest)
    case "\u{30}"..."\u{7E}": end = rest.index(after: rest.startIndex)
    default: break
    }
    text = scalars[..<end]
  }

  /// Reads the parameters and the final character of a control sequence. Returns nil if an invalid character follows.
  private static func control(_ rest: Substring.UnicodeScalarView)
    -> (Unicode.Scalar?, Substring.UnicodeScalarView, String.Index)?
  {
    var index = rest.startIndex
    let none = rest[index..<index]
    while index < rest.endIndex {
      let scalar = rest[index]
      switch scalar.value {
      case 0x40...0x7E: return (scalar, rest[..<index], rest.index(after: index))
      case 0x18, 0x1A: return (nil, none, rest.index(after: index))
      case 0x0A, 0x1B: return (nil, none, index)
      case 0x00...0x3F, 0x7F: index = rest.index(after: index)
      default: return nil
      }
    }
    return (nil, none, index)
  }

  /// Returns the end of a string in a sequence, such as a title. BEL, ST, CAN or SUB terminates the string. A line
  /// break or another escape sequence also ends it, but is not part of it.
  private static func endOfString(_ rest: Substring.UnicodeScalarView) -> String.Index {
    guard let end = rest.firstIndex(where: { "\u{7}\u{1B}\n\u{9C}\u{18}\u{1A}".unicodeScalars.contains($0) }) else {
      return rest.endIndex
    }
    if rest[end] == "\n" { return end }
    let next = rest.index(after: end)
    guard rest[end] == "\u{1B}" else { return next }
    return next < rest.endIndex && rest[next] == "\\" ? rest.index(after: next) : end
  }

  /// Returns the end of a sequence that selects a character set, such as `ESC ( B`.
  private static func endOfDesignation(_ rest: Substring.UnicodeScalarView) -> String.Index {
    guard let end = rest.firstIndex(where: { !(0x20...0x2F ~= $0.value) }) else { return rest.endIndex }
    return 0x30...0x7E ~= rest[end].value ? rest.index(after: end) : end
  }
}
