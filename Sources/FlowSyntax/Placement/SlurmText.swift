import FlowModel

/// Parses values that are written in Slurm's forms.
enum SlurmText {
  /// Parses a time such as `30:00`, `1:30:00`, `2-12`, `2-12:30` or `2-12:30:00`. Returns nil for any other string,
  /// even for a number without a unit, although Slurm reads that as minutes.
  static func limit(_ text: String) -> Duration? {
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    guard halves.count <= 2, let last = halves.last else { return nil }
    let parts = last.split(separator: ":", omittingEmptySubsequences: false).map { part in
      part.count <= 4 && part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
    }
    guard parts.count <= 3, parts.allSatisfy({ $0 != nil }) else { return nil }
    var numbers = parts.map { $0 ?? 0 }
    var days = 0
    if halves.count == 2 {
      guard halves[0].count <= 4, let count = Int(halves[0]), count >= 0 else { return nil }
      days = count
      while numbers.count < 3 { numbers.append(0) }
    } else {
      guard numbers.count > 1 else { return nil }
      while numbers.count < 3 { numbers.insert(0, at: 0) }
    }
    let seconds = ((days * 24 + numbers[0]) * 60 + numbers[1]) * 60 + numbers[2]
    return seconds > 0 ? .seconds(seconds) : nil
  }

  /// True for an amount of memory such as `4000`, `4G`, `512MB`, or flowrun's `4GiB`. In Slurm, 0 means all memory of a
  /// node.
  static func isMemory(_ text: String) -> Bool {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text.dropFirst(digits.count).lowercased()
    guard digits.count <= 12, let number = Int(digits) else { return false }
    if unit.isEmpty { return true }
    return number > 0 && ["k", "m", "g", "t"].contains { unit == $0 || unit == $0 + "b" || unit == $0 + "ib" }
  }

  /// True for devices such as `gpu`, `gpu:2` or `gpu:a100:2`, or for several of them separated by commas.
  static func isDevices(_ text: String) -> Bool {
    text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { device in
      let parts = device.split(separator: ":", omittingEmptySubsequences: false)
      guard (1...3).contains(parts.count), parts[0].first?.isLetter == true else { return false }
      let isCounted = parts.count < 3 || parts[2].first?.isNumber == true
      return isCounted
        && parts.allSatisfy {
          !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/".contains($0)) }
        }
    }
  }
}
