/// Scans a URL in one pass: parses it, decodes it and applies the security checks.
///
/// A URL without escapes needs one allocation, for the slots. Escapes, and a `+` that means a space, need a second one,
/// for a decoded copy of the text.
struct URLScanner: ~Copyable {
  private let limits: URLLimits
  private let plusAsSpace: Bool
  private let readsFragment: Bool
  private var position = 0
  /// The number of bytes by which decoding has shortened the text so far.
  private var shrink = 0
  private var decoded: [UInt8] = []
  private var slots: [ScannedURL.Slot] = []
  private var segmentCount = 0
  private var queryItemCount = 0
  private var fragmentItemCount = 0
  private var hasFragment = false
  private var ignoredParts: [ScannedURL.IgnoredPart] = []
  private var hasEmptySegment = false
  /// The position of a universal link's host, or nil for a custom scheme.
  private var host: ScannedURL.Slot?

  /// The ASCII bytes that need special handling, as a bit set. All other ASCII bytes are copied.
  private static let specialLow: UInt64 =
    0xFFFF_FFFF | bit(ASCII.percent) | bit(ASCII.slash) | bit(ASCII.question) | bit(ASCII.hash) | bit(ASCII.ampersand)
    | bit(ASCII.equals) | bit(ASCII.plus)
  private static let specialHigh: UInt64 = bit(ASCII.backslash &- 64) | bit(0x7F &- 64)

  private static func bit(_ position: UInt8) -> UInt64 { 1 << UInt64(position) }

  private init(policy: borrowing URLPolicy) {
    limits = policy.limits
    plusAsSpace = policy.plusAsSpace
    readsFragment = policy.fragmentUse == .parameters
  }

  /// Scans `text`. Throws the first problem found.
  @inline(__always)
  static func scan(_ text: String, policy: URLPolicy) throws(URLRejection) -> ScannedURL {
    let outcome: Result<ScannedURL, URLRejection> = text.withUTF8Span { bytes in
      var scanner = URLScanner(policy: policy)
      do throws(URLRejection) {
        let kind = try scanner.scan(bytes, policy)
        return .success(scanner.finished(text, kind))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private consuming func finished(_ text: String, _ kind: ScannedURL.Kind) -> ScannedURL {
    ScannedURL(
      text: text, kind: kind, decoded: decoded, slots: slots, segmentCount: segmentCount,
      queryItemCount: queryItemCount, fragmentItemCount: fragmentItemCount, hasFragment: hasFragment, hostSlot: host,
      hasEmptySegment: hasEmptySegment, ignoredParts: ignoredParts)
  }

  private mutating func scan(_ bytes: Span<UInt8>, _ policy: borrowing URLPolicy) throws(URLRejection)
    -> ScannedURL.Kind
  {
    guard bytes.count <= limits.urlBytes else {
      throw URLRejection(.urlTooLong, at: limits.urlBytes)
    }
    // Every part except the last has a delimiter, so there are never more slots than bytes plus one.
    slots.reserveCapacity(bytes.count + 1)
    let kind = try scanScheme(bytes, policy)
    try scanAuthority(bytes, kind, policy)
    try scanPath(bytes, kind)
    if position < bytes.count, bytes[position] == ASCII.question { try scanQuery(bytes) }
    if position < bytes.count, bytes[position] == ASCII.hash { try scanFragment(bytes) }
    return kind
  }
}

// MARK: - Scheme and authority

extension URLScanner {
  private mutating func scanScheme(
    _ bytes: Span<UInt8>, _ policy: borrowing URLPolicy
  ) throws(URLRejection) -> ScannedURL.Kind {
    var end = 0
    while end < bytes.count, ASCII.isSchemeByte(bytes[end]) { end += 1 }
    guard end < bytes.count else { throw URLRejection(.malformedURL, at: end) }
    guard bytes[end] == ASCII.colon, end > 0, ASCII.isLetter(bytes[0]) else {
      throw URLRejection(ASCII.isControl(bytes[end]) ? .controlCharacter : .malformedURL, at: end)
    }
    guard let kind = Self.kind(ofScheme: bytes, end: end, policy) else { throw URLRejection(.schemeNotAllowed, at: 0) }
    guard end + 2 < bytes.count, bytes[end + 1] == ASCII.slash, bytes[end + 2] == ASCII.slash else {
      throw URLRejection(.malformedURL, at: min(end + 1, bytes.count))
    }
    position = end + 3
    return kind
  }

  private static func kind(
    ofScheme bytes: Span<UInt8>, end: Int, _ policy: borrowing URLPolicy
  ) -> ScannedURL.Kind? {
    for scheme in policy.schemes where equals(scheme, bytes, end: end) { return .customScheme }
    return !policy.hosts.isEmpty && equals("https", bytes, end: end) ? .universalLink : nil
  }

  @inline(__always)
  private static func equals(_ scheme: String, _ bytes: Span<UInt8>, end: Int) -> Bool {
    guard scheme.utf8.count == end else { return false }
    var index = 0
    for byte in scheme.utf8 {
      guard byte == ASCII.lowercased(bytes[index]) else { return false }
      index += 1
    }
    return true
  }

  /// Checks the text between `//` and the next `/`, `?` or `#`. In a custom scheme's URL, this text is the first
  /// segment.
  private mutating func scanAuthority(
    _ bytes: Span<UInt8>, _ kind: ScannedURL.Kind, _ policy: borrowing URLPolicy
  ) throws(URLRejection) {
    var end = position
    var colon: Int?
    authority: while end < bytes.count {
      switch bytes[end] {
      case ASCII.slash, ASCII.question, ASCII.hash: break authority
      case ASCII.at: throw URLRejection(.userinfoNotAllowed, at: end)
      case ASCII.bracket: throw URLRejection(kind == .universalLink ? .hostNotAllowed : .malformedURL, at: end)
      case ASCII.colon: colon = colon ?? end
      case let byte where ASCII.isControl(byte): throw URLRejection(.controlCharacter, at: end)
      case ASCII.backslash: throw URLRejection(.backslash, at: end)
      default: break
      }
      end += 1
    }
    switch kind {
    case .customScheme:
      if let colon { throw URLRejection(.portNotAllowed, at: colon) }
    case .universalLink:
      try scanHost(bytes, end: end, colon: colon, policy)
      position = end
    }
  }

  private mutating func scanHost(
    _ bytes: Span<UInt8>, end: Int, colon: Int?, _ policy: borrowing URLPolicy
  ) throws(URLRejection) {
    let nameEnd = colon ?? end
    guard nameEnd > position else { throw URLRejection(.malformedURL, at: position) }
    var port: Int?
    if let colon {
      let digits = bytes.text(from: colon + 1, to: end)
      port = digits.utf8.allSatisfy(ASCII.isDigit) ? Int(digits) : nil
      guard port != nil else { throw URLRejection(.portNotAllowed, at: colon) }
    }
    let given = ScannedURL.Slot(start: UInt16(position), end: UInt16(nameEnd))
    host = given
    let matching = HostName(bytes, from: position, to: nameEnd)
    guard let matching, policy.hosts.contains(where: { matching.isNamed(by: $0, in: bytes) }) else {
      throw URLRejection(.hostNotAllowed, at: position)
    }
    guard policy.hosts.contains(where: { $0.allows(port: port) && matching.isNamed(by: $0, in: bytes) }) else {
      throw URLRejection(.portNotAllowed, at: colon ?? position)
    }
  }
}

// MARK: - Path, query, fragment

extension URLScanner {
  /// Facts about a part that are collected while it is read.
  private struct Contents {
    var start: Int
    var hasHighByte = false
    var hasEscapedSlash = false
  }

  private mutating func scanPath(_ bytes: Span<UInt8>, _ kind: ScannedURL.Kind) throws(URLRejection) {
    // A universal link's path begins with a slash. There is no empty segment before it.
    if kind == .universalLink, position < bytes.count, bytes[position] == ASCII.slash { position += 1 }
    var part = Contents(start: position - shrink)
    while position < bytes.count {
      let byte = bytes[position]
      if !Self.isSpecial(byte) {
        pass(byte)
        continue
      }
      switch byte {
      case ASCII.slash:
        try finishSegment(part, bytes)
        pass(byte)
        part = Contents(start: position - shrink)
      case ASCII.question, ASCII.hash:
        return try finishSegment(part, bytes, isLast: true)
      default:
        try handleSpecial(byte, bytes, &part)
      }
    }
    try finishSegment(part, bytes, isLast: true)
  }

  private mutating func finishSegment(
    _ part: Contents, _ bytes: Span<UInt8>, isLast: Bool = false
  ) throws(URLRejection) {
    let slot = try finish(part, bytes)
    guard !slot.isEmpty else {
      // If there are no segments yet, this is the root path. Otherwise a doubled or final slash causes an empty
      // segment.
      if !isLast || segmentCount > 0 { hasEmptySegment = true }
      return
    }
    guard segmentCount < limits.segments else { throw URLRejection(.tooManySegments, at: position) }
    if isDotSegment(slot, part, bytes) { throw URLRejection(.dotSegment, at: position - Int(slot.end - slot.start)) }
    slots.append(slot)
    segmentCount += 1
  }

  /// A query or fragment item while it is read.
  private struct Item {
    var part: Contents
    var key: ScannedURL.Slot?
    /// The reason for ignoring the item, or nil if the item is valid.
    var problem: URLRejection.Reason?
    /// True if the problem is in the key, so that messages cannot name the item.
    var hasBrokenKey = false
  }

  private mutating func scanQuery(_ bytes: Span<UInt8>) throws(URLRejection) {
    pass(bytes[position])
    queryItemCount = try scanItems(bytes, of: .query)
  }

  /// Reads `key=value&…` and returns the number of valid items. An invalid item is ignored and does not make the URL
  /// invalid, unless its key or value is too long.
  private mutating func scanItems(
    _ bytes: Span<UInt8>, of origin: ScannedURL.IgnoredPart.Origin
  ) throws(URLRejection) -> Int {
    var item = Item(part: Contents(start: position - shrink))
    var count = 0
    while position < bytes.count, origin == .fragment || bytes[position] != ASCII.hash {
      let byte = bytes[position]
      switch byte {
      case ASCII.ampersand:
        try finishItem(item, bytes, of: origin, &count)
        pass(byte)
        item = Item(part: Contents(start: position - shrink))
      case ASCII.equals where item.key == nil:
        item.key = try finishPart(of: &item, bytes)
        item.hasBrokenKey = item.problem != nil
        pass(byte)
        item.part = Contents(start: position - shrink)
      case ASCII.plus where plusAsSpace:
        startDecoding(bytes)
        pass(UInt8(ascii: " "))
      default:
        guard Self.isSpecial(byte) else {
          pass(byte)
          continue
        }
        do throws(URLRejection) { try handleSpecial(byte, bytes, &item.part) } catch {
          item.problem = item.problem ?? error.reason
          pass(byte)
        }
      }
    }
    try finishItem(item, bytes, of: origin, &count)
    return count
  }

  /// Ends the key or the value of an item. If it is not UTF-8 or has a control character, the item is ignored.
  private func finishPart(of item: inout Item, _ bytes: Span<UInt8>) throws(URLRejection) -> ScannedURL.Slot {
    do throws(URLRejection) {
      return try finish(item.part, bytes)
    } catch {
      guard error.reason != .parameterTooLong else { throw error }
      item.problem = item.problem ?? error.reason
      let end = UInt16(truncatingIfNeeded: position - shrink)
      return ScannedURL.Slot(start: end, end: end)
    }
  }

  private mutating func finishItem(
    _ item: Item, _ bytes: Span<UInt8>, of origin: ScannedURL.IgnoredPart.Origin, _ count: inout Int
  ) throws(URLRejection) {
    var item = item
    let slot = try finishPart(of: &item, bytes)
    if item.key == nil, slot.isEmpty, item.problem == nil { return }
    guard queryItemCount + count + ignoredParts.count < limits.queryItems else {
      throw URLRejection(.tooManyQueryItems, at: position)
    }
    if let problem = item.problem {
      ignoredParts.append(
        ScannedURL.IgnoredPart(origin: origin, key: item.hasBrokenKey ? nil : item.key, reason: problem))
      return
    }
    slots.append(item.key ?? slot)
    slots.append(item.key == nil ? ScannedURL.Slot(start: slot.end, end: slot.end) : slot)
    count += 1
  }

  private mutating func scanFragment(_ bytes: Span<UInt8>) throws(URLRejection) {
    pass(bytes[position])
    let start = position - shrink
    if readsFragment {
      let ignoredBefore = ignoredParts.count
      fragmentItemCount = try scanItems(bytes, of: .fragment)
      // The fragment is stored as a whole only if all of its items are valid.
      guard ignoredParts.count == ignoredBefore else { return }
      slots.append(
        ScannedURL.Slot(start: UInt16(truncatingIfNeeded: start), end: UInt16(truncatingIfNeeded: position - shrink)))
      hasFragment = true
      return
    }
    var item = Item(part: Contents(start: start))
    while position < bytes.count {
      let byte = bytes[position]
      guard Self.isSpecial(byte) else {
        pass(byte)
        continue
      }
      do throws(URLRejection) { try handleSpecial(byte, bytes, &item.part) } catch {
        item.problem = item.problem ?? error.reason
        pass(byte)
      }
    }
    let slot = try finishPart(of: &item, bytes)
    if let problem = item.problem {
      ignoredParts.append(ScannedURL.IgnoredPart(origin: .fragment, key: nil, reason: problem))
    } else {
      slots.append(slot)
      hasFragment = true
    }
  }
}

// MARK: - Bytes

extension URLScanner {
  @inline(__always)
  private static func isSpecial(_ byte: UInt8) -> Bool {
    if byte >= 0x80 { return true }
    return (byte < 64 ? specialLow >> UInt64(byte) : specialHigh >> UInt64(byte &- 64)) & 1 != 0
  }

  /// Accepts one byte and moves to the next.
  @inline(__always)
  private mutating func pass(_ byte: UInt8) {
    if !decoded.isEmpty { decoded[position - shrink] = byte }
    position += 1
  }

  private mutating func startDecoding(_ bytes: Span<UInt8>) {
    guard decoded.isEmpty else { return }
    decoded = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      for index in bytes.indices { buffer[index] = bytes[index] }
      count = bytes.count
    }
  }

  /// Handles an escape, a non-ASCII byte, or a byte that a URL must not contain.
  private mutating func handleSpecial(_ byte: UInt8, _ bytes: Span<UInt8>, _ part: inout Contents) throws(URLRejection)
  {
    switch byte {
    case ASCII.percent:
      let value = try Self.escapedByte(bytes, at: position)
      startDecoding(bytes)
      if value >= 0x80 { part.hasHighByte = true }
      if value == ASCII.slash { part.hasEscapedSlash = true }
      decoded[position - shrink] = value
      position += 3
      shrink += 2
    case ASCII.backslash: throw URLRejection(.backslash, at: position)
    case let byte where ASCII.isControl(byte): throw URLRejection(.controlCharacter, at: position)
    default:
      if byte >= 0x80 { part.hasHighByte = true }
      pass(byte)
    }
  }

  /// Returns the byte encoded by `%xx` at `position`. Throws if the escape is invalid or not allowed.
  private static func escapedByte(_ bytes: Span<UInt8>, at position: Int) throws(URLRejection) -> UInt8 {
    guard position + 2 < bytes.count, let high = ASCII.hexadecimalValue(bytes[position + 1]),
      let low = ASCII.hexadecimalValue(bytes[position + 2])
    else { throw URLRejection(.invalidPercentEncoding, at: position) }
    let value = high << 4 | low
    if value == 0 { throw URLRejection(.nullByte, at: position) }
    if ASCII.isControl(value) { throw URLRejection(.controlCharacter, at: position) }
    if value == ASCII.backslash { throw URLRejection(.backslash, at: position) }
    return value
  }

  /// Ends a part at the current position. Throws if it is too long or is not valid UTF-8.
  @inline(__always)
  private func finish(_ part: Contents, _ bytes: Span<UInt8>) throws(URLRejection) -> ScannedURL.Slot {
    let end = position - shrink
    guard end - part.start <= limits.parameterBytes else { throw URLRejection(.parameterTooLong, at: position) }
    if part.hasHighByte {
      let text = decoded.isEmpty ? bytes : decoded.span
      if let problem = UTF8Validation.problem(in: text, from: part.start, to: end) {
        throw URLRejection(problem.reason, at: min(position, problem.offset + shrink))
      }
    }
    return ScannedURL.Slot(start: UInt16(truncatingIfNeeded: part.start), end: UInt16(truncatingIfNeeded: end))
  }

  /// True if the segment is `.` or `..`, or contains one of them between escaped slashes.
  @inline(__always)
  private func isDotSegment(_ slot: ScannedURL.Slot, _ part: Contents, _ bytes: Span<UInt8>) -> Bool {
    if !part.hasEscapedSlash, slot.end - slot.start > 2 { return false }
    let text = decoded.isEmpty ? bytes : decoded.span
    var dots = 0
    var others = 0
    for index in Int(slot.start)..<Int(slot.end) {
      switch text[index] {
      case ASCII.slash:
        if others == 0, dots == 1 || dots == 2 { return true }
        (dots, others) = (0, 0)
      case ASCII.dot: dots += 1
      default: others += 1
      }
    }
    return others == 0 && (dots == 1 || dots == 2)
  }
}
