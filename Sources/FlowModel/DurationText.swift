/// Durations as written in a workflow: `250ms`, `2s`, `1.5s`, `1m30s`, `2m`, `1h`, `3d`. A day has 24 hours.
///
/// Units are ordered from large to small, and each occurs at most once. Only the last number may have a fraction. `0s`
/// is a duration; `0` and `5` are not, because they have no unit.
package enum DurationText {
  /// The reason why a string is not a duration.
  package enum DurationProblem: Error, Sendable, Hashable {
    case empty
    case missingUnit(String)
    case unknownUnit(String)
    case notANumber(String)
    case unitOrder(String)
    case tooLong(String)

    /// A suggestion for writing the duration correctly, such as `write 5s or 5ms: a duration has a unit`.
    package var help: String {
      switch self {
      case .empty: "write a number with a unit, such as 250ms"
      case .missingUnit(let number):
        (DurationText.candidates(for: number).map { "write \($0): a duration has a unit" } ?? DurationProblem.empty.help)
      case .unknownUnit(let unit): "'\(unit)' is not a unit; the units are d, h, m, s and ms"
      case .notANumber(let text): "'\(text)' does not start with a number; write a duration such as 250ms"
      case .unitOrder(let unit): "'\(unit)' appears twice or after a smaller unit; write 1d2h3m4s5ms"
      case .tooLong(let text): "'\(text)' is longer than 10,000 hours"
      }
    }
  }

  /// The longest duration: 10,000 hours. The sum of up to 256 such durations in nanoseconds fits in 64 bits.
  package static let longest = Duration.seconds(36_000_000)

  private static let units: [(name: String, nanoseconds: Int)] = [
    ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000),
  ]

  /// Parses a duration. Fractions are precise to one nanosecond.
  package static func parse(_ text: String) throws(DurationProblem) -> Duration {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else { throw .empty }
    var position = 0
    var total = 0
    var lastUnit = -1
    while position < bytes.count {
      let start = position
      while position < bytes.count, isDigit(bytes[position]) || bytes[position] == UInt8(ascii: ".") { position += 1 }
      let number = String(decoding: bytes[start..<position], as: UTF8.self)
      let unitStart = position
      while position < bytes.count, !isDigit(bytes[position]) && bytes[position] != UInt8(ascii: ".") { position += 1 }
      let unit = String(decoding: bytes[unitStart..<position], as: UTF8.self)
      guard !number.isEmpty else { throw .notANumber(text) }
      guard !unit.isEmpty else { throw .missingUnit(number) }
      guard let rank = units.firstIndex(where: { $0.name == unit }) else { throw .unknownUnit(unit) }
      guard rank > lastUnit else { throw .unitOrder(unit) }
      lastUnit = rank
      guard let nanoseconds = nanoseconds(of: number, unit: units[rank].nanoseconds, isLast: position == bytes.count)
      else { throw .notANumber(text) }
      guard nanoseconds <= longest.nanoseconds - total else { throw .tooLong(text) }
      total += nanoseconds
    }
    return .nanoseconds(total)
  }

  /// Returns the durations that may be meant by a number without a unit, such as `5s or 5ms`. Returns nil if there are
  /// none.
  private static func candidates(for number: String) -> String? {
    let words = ["\(number)s", "\(number)ms"].filter { (try? parse($0)) != nil }
    return words.isEmpty ? nil : words.joined(separator: " or ")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func nanoseconds(of number: String, unit: Int, isLast: Bool) -> Int? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    guard let whole = Int(parts[0]) else {
      return parts[0].utf8.count > 18 ? .max : nil
    }
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: unit)
    if overflow { return .max }
    guard parts.count == 2 else { return scaled }
    guard isLast, let fraction = Double("0." + parts[1]) else { return nil }
    let (sum, sumOverflow) = scaled.addingReportingOverflow(Int((fraction * Double(unit)).rounded()))
    return sumOverflow ? .max : sum
  }

  /// Returns a duration as text, such as `72h`, `1m30s`, `250ms` or `0s`. Only the number of milliseconds can have a
  /// fraction.
  package static func format(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    var left = seconds.magnitude
    let remaining = Int((attoseconds / 1_000_000_000).magnitude)
    guard left != 0 || remaining != 0 else { return "0s" }
    var text = seconds < 0 || attoseconds < 0 ? "-" : ""
    for (name, size) in units.dropFirst().dropLast() {
      let size = UInt64(size / 1_000_000_000)
      guard left >= size else { continue }
      text += "\(left / size)\(name)"
      left %= size
    }
    guard remaining > 0 else { return text }
    let (whole, fraction) = (remaining / 1_000_000, remaining % 1_000_000)
    guard fraction > 0 else { return text + "\(whole)ms" }
    var digits = String(fraction + 1_000_000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return text + "\(whole).\(digits)ms"
  }
}

extension Duration {
  /// The duration in whole nanoseconds, clamped to 64 bits.
  package var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, sumOverflow) = scaled.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
    return sumOverflow ? (seconds < 0 ? .min : .max) : sum
  }
}
