/// A parsed URL that has passed the security checks. It stores the position of each part, without a copy of the parts.
///
/// The text is the URL itself. Only a URL with percent escapes has a second buffer, in which the text is decoded; the
/// slots then refer to that buffer.
public struct ScannedURL: Sendable {
  /// The start and end of one decoded part.
  struct Slot: Sendable, Hashable {
    var start: UInt16
    var end: UInt16

    var isEmpty: Bool { start == end }
  }

  /// The form of the link.
  public enum Kind: Sendable, Hashable {
    /// One of the application's own schemes; the first segment is the host of RFC 3986.
    case customScheme
    /// `https` with one of its hosts; the path is the route.
    case universalLink
  }

  /// The URL as it was received.
  public let text: String
  /// The form of the link.
  public let kind: Kind
  /// The decoded text if the URL has escapes; empty otherwise.
  let decoded: [UInt8]
  /// The segments, then the alternating keys and values of the query and of the fragment, then the fragment.
  let slots: [Slot]
  /// The number of slots that are segments.
  public let segmentCount: Int
  /// The number of query items after them.
  public let queryItemCount: Int
  /// The number of fragment items after those, if the fragment is read as parameters.
  let fragmentItemCount: Int
  /// True if a fragment follows.
  let hasFragment: Bool
  /// The position of a universal link's host in ``text``.
  let hostSlot: Slot?
  /// True if a segment was empty; used only with strict slashes.
  let hasEmptySegment: Bool
  /// The items that were ignored.
  let ignoredParts: [IgnoredPart]

  /// A query item, a fragment item or a fragment that was ignored because it is invalid.
  struct IgnoredPart: Sendable {
    /// The part of the URL that it belongs to.
    enum Origin: String, Sendable {
      case query, fragment
    }

    let origin: Origin
    /// The key, or nil if it cannot be decoded.
    let key: Slot?
    let reason: URLRejection.Reason
  }

  /// Passes the bytes that the slots refer to to `body`.
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

  /// The decoded text of segment `index`, counted from 0.
  public func segment(_ index: Int) -> String {
    precondition(index < segmentCount, "the URL has \(segmentCount) segments")
    return string(slots[index])
  }

  /// The decoded segments.
  public var segments: [String] { (0..<segmentCount).map(segment) }

  /// The decoded query items in order; a key without `=` has an empty value.
  public var queryItems: [(key: String, value: String)] { items(0..<queryItemCount) }

  /// The decoded items of a fragment that is read as parameters.
  public var fragmentItems: [(key: String, value: String)] {
    items(queryItemCount..<queryItemCount + fragmentItemCount)
  }

  private func items(_ range: Range<Int>) -> [(key: String, value: String)] {
    range.map { item in (string(slots[segmentCount + 2 * item]), string(slots[segmentCount + 2 * item + 1])) }
  }

  /// The ignored items, each with the reason.
  public var ignored: [String] {
    ignoredParts.map { part in
      let name = part.key.map { "\(part.origin.rawValue) '\(string($0))'" } ?? "\(part.origin.rawValue)"
      return "\(name): \(part.reason.explanation)"
    }
  }

  /// The decoded text after `#`, or nil.
  public var fragment: String? { hasFragment ? string(slots[slots.count - 1]) : nil }
}
