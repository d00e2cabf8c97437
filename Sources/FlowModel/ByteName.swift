/// The name of a file, variable, input or JSON member, for use as a key.
///
/// Swift treats strings as equal if they differ only in Unicode normalization, such as `é` as one character or as `e`
/// with an accent. File systems, environments and JSON do not, so names are compared byte by byte.
package struct ByteName: Hashable, Comparable, Sendable {
  /// The name.
  package let text: String

  /// Creates a name.
  package init(_ text: some StringProtocol) { self.text = String(text) }

  /// True if both names have the same bytes.
  package static func == (left: ByteName, right: ByteName) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// Orders names by their bytes.
  package static func < (left: ByteName, right: ByteName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Hashes the bytes.
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}

extension String {
  /// True if both strings have the same bytes, and are not just equal after Unicode normalization.
  package func hasSameBytes(as other: String) -> Bool {
    // Strings that are not equal in Swift always differ in their bytes, and most strings that are compared are not
    // equal.
    self == other && utf8.elementsEqual(other.utf8)
  }

  /// Returns the text before and after the first occurrence of an ASCII character. `after` is nil if the character does
  /// not occur. A combining mark after the character is part of `after`.
  package func parted(at character: Unicode.Scalar) -> (before: String, after: String?) {
    guard let place = utf8.firstIndex(of: UInt8(ascii: character)) else { return (self, nil) }
    return (String(self[..<place]), String(self[utf8.index(after: place)...]))
  }

  /// The path in a string such as `@PATH`, or nil if it does not begin with `@`.
  package var pathAfterAt: String? {
    utf8.first == UInt8(ascii: "@") ? String(Substring(utf8.dropFirst())) : nil
  }

  /// Returns the parts between occurrences of an ASCII character, including empty ones.
  package func parts(separatedBy character: Unicode.Scalar) -> [String] {
    utf8.split(separator: UInt8(ascii: character), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// The nonempty parts between slashes. A combining mark after a slash is part of the next part.
  package var pathParts: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }
}
