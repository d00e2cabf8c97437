/// The name of a file, variable, input or JSON member, for use as a key.
///
/// Swift treats strings as equal if they differ only in Unicode normalization, such as `é` as one character or as `e`
/// with an accent. File systems, environments and JSON treat them as different, so names are compared byte by byte.
package struct ByteName: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: some StringProtocol) { self.text = String(text) }

  /// True if both names have the same bytes.
  package static func == (left: ByteName, right: ByteName) -> Bool { left.text.hasSameBytes(as: right.text) }

  /// True if the bytes of `left` come before those of `right`.
  package static func < (left: ByteName, right: ByteName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  /// Hashes the bytes of the name.
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}

extension String {
  /// True if both strings have the same bytes. `==` also accepts strings that are equal only after Unicode
  /// normalization.
  package func hasSameBytes(as other: String) -> Bool {
    // `==` is a quick first check: strings that differ in Swift also differ in their bytes, and most strings that are
    // compared differ.
    self == other && utf8.elementsEqual(other.utf8)
  }

  /// Returns the text before and after the first occurrence of an ASCII character. `after` is nil if the character does
  /// not occur. A combining mark after the character is part of `after`.
  package func parted(at character: Unicode.Scalar) -> (before: String, after: String?) {
    guard let place = utf8.firstIndex(of: UInt8(ascii: character)) else { return (self, nil) }
    return (String(self[..<place]), String(self[utf8.index(after: place)...]))
  }

  /// The path after the `@` in a string such as `@PATH`, or nil if the string does not begin with `@`.
  package var pathAfterAt: String? {
    utf8.first == UInt8(ascii: "@") ? String(Substring(utf8.dropFirst())) : nil
  }

  /// Returns the parts between occurrences of an ASCII character, including empty ones.
  package func parts(separatedBy character: Unicode.Scalar) -> [String] {
    utf8.split(separator: UInt8(ascii: character), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  /// The parts between slashes, without empty ones. A combining mark after a slash belongs to the next part.
  package var pathParts: [String] {
    utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }
}
