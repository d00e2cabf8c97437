/// A URL that passed the security checklist, taken apart: the position of each part, without a copy of the parts.
///
/// The text is the URL itself. Only a URL with percent escapes has a second buffer, the same text decoded in place, and
/// the places below are places in it.
public struct ScannedURL: Sendable {
  /// Where one decoded part begins and ends.
  struct Slot: Sendable, Hashable {
    var start: UInt16
    var end: UInt16

    var isEmpty: Bool { start == end }
  }

  /// How the application was addressed.
  public enum Kind: Sendable, Hashable {
    /// By one of its own schemes; the first segment is what RFC 3986 calls the host.
    case customScheme
    /// By `https` and one of its hosts; the path is the route.
    case universalLink
  }

  /// The URL as it was received.
  public let text: String
  /// How the application was addressed.
  public let kind: Kind
  /// The decoded text where the URL has escapes; empty otherwise.
  let decoded: [UInt8]
  /// The segments, then key and value of each item of the query and of the fragment by turns, then the fragment.
  let slots: [Slot]
  /// How many of the slots are segments.
  public let segmentCount: Int
  /// The number of query items that follow.
  public let queryItemCount: Int
  /// The number of the fragment's items that follow, if it is read as parameters.
  let fragmentItemCount: Int
  /// Whether a fragment follows.
  let hasFragment: Bool
  /// Where the host of a universal link is in ``text``.
  let hostSlot: Slot?
  /// Whether a segment was empty; only asked with strict slashes.
  let hasEmptySegment: Bool
  /// The items that were left out.
  let ignoredParts: [IgnoredPart]

  /// An item of the query or the fragment, or the fragment, that was left out because of a fault in it.
  struct IgnoredPart: Sendable {
    /// Its place.
    enum Origin: String, Sendable {
      case query, fragment
    }

    let origin: Origin
    /// Nil: it has no key that can be read.
    let key: Slot?
    let reason: URLRejection.Reason
  }

  /// Hands the bytes that the slots point into to `body`.
  @inline(__always)
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    if !decoded.isEmpty { return body(decoded.span) }
    return text.withUTF8Span(body)
  }

  /// The decoded text of a slot.
  func string(_ slot: Slot) -> String {
    withBytes { bytes in
      bytes.text(from: Int(slot.start), to: Int(slot.end))
    }
  }

  /// The host of a universal link in lower case and in Unicode.
  public var host: String? {
    guard let hostSlot else { return nil }
    return text.withUTF8Span { HostName.normalized($0, from: Int(hostSlot.start), to: Int(hostSlot.end)) }
  }

  /// The decoded text of segment `index`, counted from 0.
  public func segment(_ index: Int) -> String {
    precondition(index < segmentCount, "the URL has \(segmentCount) segments")
    return string(slots[index])
  }

  /// The decoded segments.
  public var segments: [String] { (0..<segmentCount).map(segment) }

  /// The decoded query items in order; a key without `=` has the value "".
  public var queryItems: [(key: String, value: String)] { items(0..<queryItemCount) }

  /// The decoded items of a fragment that is read as parameters.
  public var fragmentItems: [(key: String, value: String)] {
    items(queryItemCount..<queryItemCount + fragmentItemCount)
  }

  private func items(_ range: Range<Int>) -> [(key: String, value: String)] {
    range.map { item in (string(slots[segmentCount + 2 * item]), string(slots[segmentCount + 2 * item + 1])) }
  }

  /// The items that were left out because of a fault in them, each with the reason.
  public var ignored: [String] {
    ignoredParts.map { part in
      let name = part.key.map { "\(part.origin.rawValue) '\(string($0))'" } ?? "\(part.origin.rawValue)"
      return "\(name): \(part.reason.explanation)"
    }
  }

  /// The decoded text behind `#`, or nil.
  public var fragment: String? { hasFragment ? string(slots[slots.count - 1]) : nil }
}
