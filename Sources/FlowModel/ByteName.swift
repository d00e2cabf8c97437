/// A name from outside as a key: of a file, a variable, an input, a JSON member.
///
/// Swift takes two texts for equal that differ only in Unicode normalization, such as `é` as one character and as `e` with an
/// accent. For file systems, environments and JSON they are two names, so names are compared byte by byte.
public struct ByteName: Hashable, Comparable, Sendable {
  /// The name itself.
  public let text: String

  /// A name of this text.
  public init(_ text: some StringProtocol) { self.text = String(text) }

  /// Whether all bytes are the same.
  public static func == (left: ByteName, right: ByteName) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Orders names by their bytes.
  public static func < (left: ByteName, right: ByteName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Feeds the bytes.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}

extension String {
  /// Whether two texts are the same byte by byte, and not only after Unicode normalization.
  public func hasSameBytes(as other: String) -> Bool {
    // Texts that Swift distinguishes differ in any case, which is the usual answer.
    self == other && utf8.elementsEqual(other.utf8)
  }

  /// The text before the first occurrence of an ASCII character and the text after it, nil if there is none. A mark that combines
  /// with the character is the beginning of the text after it.
  package func parted(at character: Unicode.Scalar) -> (before: String, after: String?) {
    guard let place = utf8.firstIndex(of: UInt8(ascii: character)) else { return (self, nil) }
    return (String(self[..<place]), String(self[utf8.index(after: place)...]))
  }

  /// The path in `@PATH`; nil if it begins with another character.
  package var pathAfterAt: String? {
    utf8.first == UInt8(ascii: "@") ? String(Substring(utf8.dropFirst())) : nil
  }

  /// The parts between an ASCII character, with empty ones.
  package func parts(separatedBy character: Unicode.Scalar) -> [String] {
    utf8.split(separator: UInt8(ascii: character), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// The parts between slashes, without empty ones. A mark that combines with a slash is the beginning of the next part.
  public var pathParts: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }
}
