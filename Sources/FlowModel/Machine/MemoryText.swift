/// Amounts of memory as written in a workflow, such as `512MiB` or `8GiB`. Units are powers of 1,024. Numbers have no
/// fraction.
package enum MemoryText {
  /// The reason why a string is not an amount of memory.
  package struct MemoryProblem: Error, Sendable, Hashable {
    /// A suggestion for writing the amount correctly.
    package var help: String
  }

  /// The largest amount that can be written: 1,024 TiB.
  package static let most = 1 << 50

  private static let units: [(name: String, shift: Int)] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]

  /// Returns an amount in bytes. Throws if the text is invalid, or the amount is zero or exceeds ``most``. Error
  /// messages suggest only amounts in `range`, but an amount outside of `range` is not an error here.
  package static func parse(
    _ text: String, suggesting range: ClosedRange<Int> = 1 << 10...most
  ) throws(MemoryProblem) -> Int {
    guard !text.hasPrefix("-") else { throw MemoryProblem(help: "an amount of memory is never negative") }
    let digits = text.prefix { $0.isNumber || $0 == "." }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    let sample = units.first { range.contains(8 << $0.shift) && $0.shift < 40 }.map { "8\($0.name)" }
    let example = sample ?? format(range.upperBound)
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII }), let amount = Double(digits) else {
      throw MemoryProblem(help: "write a number with a unit, such as \(example)")
    }
    guard !unit.isEmpty else {
      // TiB and KiB are not considered, because people rarely mean them.
      let meant = [units[1], units[2], units[3]].filter {
        Int(digits) != nil && amount > 0 && range.contains(bytes(amount, $0.shift))
      }.prefix(2)
      let words = meant.map { "\(digits)\($0.name)" }
      throw MemoryProblem(
        help: words.isEmpty
          ? "write a number with a unit, such as \(example)"
          : "write \(words.joined(separator: " or ")): memory has a unit")
    }
    guard let index = units.firstIndex(where: { $0.name == unit }) else {
      let meant = unit.first.flatMap { first in
        units.firstIndex { $0.name.hasPrefix(first.uppercased()) && "\($0.name)byte".count >= unit.count }
      }
      let names = units.filter { range.contains(max(1 << $0.shift, range.lowerBound)) }.map(\.name)
      throw MemoryProblem(
        help: meant.map { suggestion(digits, $0, in: range, example) }
          ?? "'\(unit)' is not a unit; the units are \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
      )
    }
    guard unit.startIndex == text.index(text.startIndex, offsetBy: digits.count) else {
      let help = suggestion(digits, index, in: range, example)
      throw MemoryProblem(help: help == "write \(digits)\(unit)" ? "\(help), without a space" : help)
    }
    guard let number = Int(digits) else {
      throw MemoryProblem(help: "the number is whole: \(suggestion(digits, index, in: range, example))")
    }
    guard number > 0 else {
      throw MemoryProblem(
        help: range.lowerBound == 1 << 10 && range.upperBound == most
          ? "leave 'memory' out to request none" : "the minimum is \(format(range.lowerBound))")
    }
    guard number <= most >> units[index].shift else {
      throw MemoryProblem(help: "the limit is \(format(range.upperBound))")
    }
    return number << units[index].shift
  }

  /// Suggests an amount in `range` for a number with a unit that cannot be used as it is written.
  private static func suggestion(
    _ digits: Substring, _ index: Int, in range: ClosedRange<Int>, _ example: String
  ) -> String {
    guard let number = Double(digits), number > 0 else { return "write an amount such as \(example)" }
    let meant = bytes(number, units[index].shift)
    if meant > range.upperBound { return "the limit is \(format(range.upperBound))" }
    if meant < range.lowerBound { return "the minimum is \(format(range.lowerBound))" }
    if Int(digits) != nil { return "write \(digits)\(units[index].name)" }
    // Most fractions become whole numbers in the next smaller unit.
    guard index + 1 < units.count, number < 1_000 else { return "write an amount such as \(example)" }
    return "write \(Int((number * 1024).rounded(.up)))\(units[index + 1].name)"
  }

  /// Returns an amount in bytes. The result is clamped to twice ``most``.
  private static func bytes(_ number: Double, _ shift: Int) -> Int {
    Int(min(number * Double(1 << shift), Double(most) * 2))
  }

  /// Returns an amount as text: in the largest unit in which it is a whole number below 10,000, or else in the largest
  /// unit that it reaches, rounded down to one decimal digit. An amount below 1 KiB is in bytes.
  package static func format(_ bytes: Int) -> String {
    guard bytes > 0 else { return "0" }
    let whole = units.first { bytes & (1 << $0.shift - 1) == 0 }
    if let whole, bytes >> whole.shift < 10_000 { return "\(bytes >> whole.shift)\(whole.name)" }
    guard let unit = units.first(where: { bytes >> $0.shift > 0 }) else { return "\(bytes) bytes" }
    let tenths = ((bytes >> (unit.shift - 10)) * 10) >> 10
    return tenths % 10 == 0 ? "\(tenths / 10)\(unit.name)" : "\(tenths / 10).\(tenths % 10)\(unit.name)"
  }
}
