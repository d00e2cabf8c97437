/// A name from outside that is used as a key: of a file, a variable, an input or a JSON member.
///
/// In Swift, strings that differ only in Unicode normalization are equal, such as `é` as one character and as `e` with
/// an accent. File systems, environments and JSON treat them as two names, so names are compared byte by byte.
public struct ByteName: Hashable, Comparable, Sendable {
  /// The name itself.
  public let text: String

  /// Creates a name from a text.
  public init(_ text: some StringProtocol) { self.text = String(text) }

  /// True if all bytes are equal.
  public static func == (left: ByteName, right: ByteName) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Orders names by their bytes.
  public static func < (left: ByteName, right: ByteName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}

extension String {
  /// True if two texts are equal byte by byte, not only after Unicode normalization.
  public func hasSameBytes(as other: String) -> Bool {
    // Strings that are not equal in Swift, the usual case, differ in their bytes too.
    self == other && utf8.elementsEqual(other.utf8)
  }

  /// The text before and after the first occurrence of an ASCII character; `after` is nil if the character does not
  /// occur. A combining mark after the character becomes the beginning of `after`.
  package func parted(at character: Unicode.Scalar) -> (before: String, after: String?) {
    guard let place = utf8.firstIndex(of: UInt8(ascii: character)) else { return (self, nil) }
    return (String(self[..<place]), String(self[utf8.index(after: place)...]))
  }

  /// The path in `@PATH`, or nil if the text does not begin with `@`.
  package var pathAfterAt: String? {
    utf8.first == UInt8(ascii: "@") ? String(Substring(utf8.dropFirst())) : nil
  }

  /// The parts between occurrences of an ASCII character, including empty parts.
  package func parts(separatedBy character: Unicode.Scalar) -> [String] {
    utf8.split(separator: UInt8(ascii: character), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// The nonempty parts between slashes. A combining mark after a slash becomes the beginning of the next part.
  public var pathParts: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }
}
