/// How a zone may be called: letters, digits, `.`, `_` and `-` of ASCII, 1 to 128 of them. `.` and `..` are none: addresses leave them
/// out, so that no request would reach such a zone.
public enum ZoneName {
  /// The rule in words, for messages.
  public static let rule =
    "a zone's name is 1 to 128 letters, digits, '.', '_' and '-', but not '.' or '..', which addresses leave out"

  /// Whether a text may be a zone's name.
  public static func isWellFormed(_ name: String) -> Bool {
    (1...128).contains(name.utf8.count) && name != "." && name != ".."
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }
}
