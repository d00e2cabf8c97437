/// A parsed URL that has passed the security checks. It stores the positions of its parts instead of copies.
///
/// The positions refer to the URL itself or, if it has percent escapes or a `+` that means a space, to a separate
/// buffer with the decoded text.
public struct ScannedURL: Sendable {
  /// The start and end of a part in the decoded text.
  struct Slot: Sendable, Hashable {
    var start: UInt16
    var end: UInt16

    var isEmpty: Bool { start == end }
  }

  /// The forms of links, which are matched differently.
  public enum Kind: Sendable, Hashable {
    /// A URL with one of the application's own schemes. Its first segment is the host by RFC 3986.
    case customScheme
    /// An `https` URL with one of the application's hosts. Its path is the route.
    case universalLink
  }

  /// The URL that was scanned. If fragments are read as paths, its path includes the fragment.
  public let text: String
  /// The form of the link, determined by its scheme.
  public let kind: Kind
  /// The decoded text if it differs from the URL; empty otherwise.
  let decoded: [UInt8]
  /// The positions of all parts: the segments, the keys and values of the query, those of the fragment, and the
  /// fragment itself.
  let slots: [Slot]
  /// The number of slots that are segments.
  public let segmentCount: Int
  /// The number of query items.
  public let queryItemCount: Int
  /// The number of fragment items. 0 unless the fragment is read as parameters.
  let fragmentItemCount: Int
  /// True if the URL has a fragment of which no part was ignored.
  let hasFragment: Bool
  /// The position of a universal link's host in ``text``.
  let hostSlot: Slot?
  /// True if a path segment was empty. This matters only with strict slashes.
  let hasEmptySegment: Bool
  let ignoredParts: [IgnoredPart]

  /// An invalid query item, fragment item or fragment, which was ignored.
  struct IgnoredPart: Sendable {
    enum Origin: String, Sendable {
      case query, fragment
    }

    let origin: Origin
    /// The key, or nil if it cannot be decoded.
    let key: Slot?
    let reason: URLRejection.Reason
  }

  /// Calls `body` with the bytes to which the slots refer.
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

  /// The host of a universal link in lower case and Unicode.
  public var host: String? {
    guard let hostSlot else { return nil }
    return text.withUTF8Span { HostName.normalized($0, from: Int(hostSlot.start), to: Int(hostSlot.end)) }
  }

  /// Returns the decoded text of the segment at `index`, counted from 0. Traps if there is no such segment.
  public func segment(_ index: Int) -> String {
    precondition(index < segmentCount, "the URL has \(segmentCount) segments")
    return string(slots[index])
  }

  /// All decoded segments, in order.
  public var segments: [String] { (0..<segmentCount).map(segment) }

  /// The decoded query items, in order. A key without `=` has an empty value.
  public var queryItems: [(key: String, value: String)] { items(0..<queryItemCount) }

  /// The decoded items of the fragment; empty unless it is read as parameters.
  public var fragmentItems: [(key: String, value: String)] {
    items(queryItemCount..<queryItemCount + fragmentItemCount)
  }

  private func items(_ range: Range<Int>) -> [(key: String, value: String)] {
    range.map { item in (string(slots[segmentCount + 2 * item]), string(slots[segmentCount + 2 * item + 1])) }
  }

  /// A string for each ignored item or fragment, with its key, if known, and the reason.
  public var ignored: [String] {
    ignoredParts.map { part in
      let name = part.key.map { "\(part.origin.rawValue) '\(string($0))'" } ?? "\(part.origin.rawValue)"
      return "\(name): \(part.reason.explanation)"
    }
  }

  /// The decoded text after `#`. Nil if there is no fragment or a part of it was ignored.
  public var fragment: String? { hasFragment ? string(slots[slots.count - 1]) : nil }
}
