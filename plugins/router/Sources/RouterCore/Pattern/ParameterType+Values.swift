import FlowModel

extension ParameterType {
  /// True if the decoded bytes from `start` to `end` have this type. The range must not be empty.
  @inline(__always)
  func accepts(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    if case .string = self { return true }
    return acceptsTyped(bytes, from: start, to: end)
  }

  private func acceptsTyped(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    switch self {
    case .string: true
    case .enumeration(let words): words.contains { Self.equals($0, bytes, start, end) }
    case .boolean: Self.equals("true", bytes, start, end) || Self.equals("false", bytes, start, end)
    case .uuid: Self.isUUID(bytes, start, end)
    case .date: Self.isDate(bytes, start, end)
    case .unsignedInteger: Self.isInteger(bytes, start, end, signed: false)
    case .integer: Self.isInteger(bytes, start, end, signed: true)
    case .double: Self.isDouble(bytes, start, end)
    case .slug: Self.isSlug(bytes, start, end)
    case .url: Self.looksLikeURL(bytes, start, end)
    }
  }

  /// Converts text that this type accepts to a value: a number for number types, a Boolean for `bool`, and otherwise
  /// the text itself.
  func value(of text: String) -> Value {
    switch self {
    case .boolean: .boolean(text == "true")
    case .integer: Int(text).map(Value.integer) ?? .string(text)
    // A number that does not fit an `Int` stays a string, so that no digit is lost.
    case .unsignedInteger: Int(text).map(Value.integer) ?? .string(text)
    case .double: Double(text).map(Value.number) ?? .string(text)
    case .enumeration, .uuid, .date, .slug, .url, .string: .string(text)
    }
  }

  @inline(__always)
  private static func equals(_ word: String, _ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard word.utf8.count == end - start else { return false }
    var index = start
    for byte in word.utf8 {
      guard byte == bytes[index] else { return false }
      index += 1
    }
    return true
  }

  private static func isUUID(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard end - start == 36 else { return false }
    for index in 0..<36 {
      let byte = bytes[start + index]
      switch index {
      case 8, 13, 18, 23: if byte != ASCII.hyphen { return false }
      default: if ASCII.hexadecimalValue(byte) == nil { return false }
      }
    }
    return true
  }

  private static func isDate(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard end - start == 10, bytes[start + 4] == ASCII.hyphen, bytes[start + 7] == ASCII.hyphen,
      let year = number(bytes, start, start + 4), let month = number(bytes, start + 5, start + 7),
      let day = number(bytes, start + 8, end), (1...12).contains(month), day >= 1
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    switch month {
    case 2: return day <= (isLeap ? 29 : 28)
    case 4, 6, 9, 11: return day <= 30
    default: return day <= 31
    }
  }

  private static func number(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
    var number = 0
    for index in start..<end {
      guard ASCII.isDigit(bytes[index]) else { return nil }
      number = number * 10 + Int(bytes[index] &- 0x30)
    }
    return number
  }

  private static func isInteger(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, signed: Bool) -> Bool {
    let isNegative = signed && bytes[start] == ASCII.hyphen
    let first = isNegative ? start + 1 : start
    guard first < end else { return false }
    var magnitude: UInt64 = 0
    for index in first..<end {
      guard ASCII.isDigit(bytes[index]) else { return false }
      let (product, tooLarge) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(UInt64(bytes[index] &- 0x30))
      if tooLarge || overflow { return false }
      magnitude = sum
    }
    return !signed || magnitude <= UInt64(Int64.max) + (isNegative ? 1 : 0)
  }

  private static func isDouble(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var index = bytes[start] == ASCII.hyphen ? start + 1 : start
    func digits() -> Bool {
      let first = index
      while index < end, ASCII.isDigit(bytes[index]) { index += 1 }
      return index > first
    }
    guard digits() else { return false }
    if index < end, bytes[index] == ASCII.dot {
      index += 1
      guard digits() else { return false }
    }
    if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < end, bytes[index] == ASCII.plus || bytes[index] == ASCII.hyphen { index += 1 }
      guard digits() else { return false }
    }
    guard index == end else { return false }
    return Double(bytes.text(from: start, to: end))?.isFinite ?? false
  }

  private static func isSlug(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var previous = ASCII.hyphen
    for index in start..<end {
      let byte = bytes[index]
      let isWordByte = ASCII.isDigit(byte) || byte &- 0x61 < 26
      guard isWordByte || (byte == ASCII.hyphen && previous != ASCII.hyphen) else { return false }
      previous = byte
    }
    return previous != ASCII.hyphen
  }

  private static func looksLikeURL(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard ASCII.isLetter(bytes[start]) else { return false }
    for index in start..<end where !ASCII.isSchemeByte(bytes[index]) { return bytes[index] == ASCII.colon }
    return false
  }
}
