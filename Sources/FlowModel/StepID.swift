/// The id of a step in its workflow: `^[a-z][a-z0-9]*([-_][a-z0-9]+)*$`, at most 64 characters.
public struct StepID: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The id as written in the file.
  public let text: String

  /// Creates an id, or returns nil if `text` is not a valid one.
  public init?(_ text: String) {
    guard Self.isValid(text) else { return nil }
    self.text = text
  }

  /// Creates an id without checking `text`, for code that generates valid ids.
  package init(unchecked text: String) { self.text = text }

  /// The step and the index, if this is the name of an item such as `convert[3]`. Nil for the id of a step.
  package var item: (step: StepID, index: Int)? {
    let bytes = text.utf8
    guard bytes.last == UInt8(ascii: "]"), let bracket = bytes.lastIndex(of: UInt8(ascii: "[")),
      let index = Int(text[bytes.index(after: bracket)..<bytes.index(before: bytes.endIndex)]), index >= 0
    else { return nil }
    return (StepID(unchecked: String(text[..<bracket])), index)
  }

  /// The id as text.
  public var description: String { text }

  /// Compares two ids as strings.
  public static func < (left: StepID, right: StepID) -> Bool { left.text < right.text }

  package static func isValid(_ text: String) -> Bool {
    var copy = text
    return copy.withUTF8 { isValid($0) }
  }

  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first), bytes.count <= Limits.stepIDCharacters else { return false }
    var previousIsSeparator = false
    for byte in bytes {
      if isLetter(byte) || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) {
        previousIsSeparator = false
      } else if (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")) && !previousIsSeparator {
        previousIsSeparator = true
      } else {
        return false
      }
    }
    return !previousIsSeparator
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
}
