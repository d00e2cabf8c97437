/// The rule for the names of zones: 1 to 128 ASCII letters, digits, `.`, `_` and `-`. The names `.` and `..` are
/// invalid, because HTTP clients remove them from addresses.
package enum ZoneName {
  /// The rule as text for messages.
  package static let rule =
    "a zone's name is 1 to 128 letters, digits, '.', '_' and '-', but not '.' or '..', which addresses leave out"

  /// True if a string is a valid name of a zone.
  package static func isWellFormed(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name != "." && name != ".."
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }
}
