/// Amounts of memory in a workflow, such as `512MiB` or `8GiB`. Units are powers of 1,024, and numbers have no
/// fraction.
package enum MemoryText {
  /// The reason why a string is not an amount of memory.
  package struct MemoryProblem: Error, Sendable, Hashable {
    /// A clause that suggests a correct form.
    package var help: String
  }

  /// The largest amount: 1,024 TiB.
  package static let most = 1 << 50

  private static let units: [(name: String, shift: Int)] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]

  /// Parses an amount and returns it in bytes.
  package static func parse(_ text: String) throws(MemoryProblem) -> Int {
    guard !text.hasPrefix("-") else { throw MemoryProblem(help: "memory is never negative") }
    let digits = text.prefix { $0.isNumber || $0 == "." }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII }) else {
      throw MemoryProblem(help: "write a number with a unit, such as 8GiB")
    }
    guard !unit.isEmpty else { throw MemoryProblem(help: "write \(digits)GiB or \(digits)MiB: memory has a unit") }
    guard let index = units.firstIndex(where: { $0.name == unit }) else {
      let meant = unit.first.flatMap { first in
        units.first { $0.name.first == Character(first.uppercased()) && "\($0.name)byte".count >= unit.count }
      }
      throw MemoryProblem(
        help: meant.map { "write \(digits)\($0.name)" }
          ?? "'\(unit)' is not a unit; the units are TiB, GiB, MiB and KiB")
    }
    guard unit.startIndex == text.index(text.startIndex, offsetBy: digits.count) else {
      throw MemoryProblem(help: "write \(digits)\(unit), without a space")
    }
    guard let number = Int(digits) else {
      guard index + 1 < units.count, let number = Double(digits), number < 1_000 else {
        throw MemoryProblem(help: "write a whole number, such as 8GiB")
      }
      throw MemoryProblem(
        help: "the number is whole: write \(Int((number * 1024).rounded(.up)))\(units[index + 1].name)")
    }
    guard number > 0 else { throw MemoryProblem(help: "leave 'memory' out to request none") }
    guard number <= most >> units[index].shift else { throw MemoryProblem(help: "the limit is 1024TiB") }
    return number << units[index].shift
  }

  /// Formats an amount with the largest unit in which it has no fraction, or else with one decimal digit, rounded down.
  package static func format(_ bytes: Int) -> String {
    guard bytes > 0 else { return "0" }
    let whole = units.first { bytes & (1 << $0.shift - 1) == 0 }
    if let whole, bytes >> whole.shift < 10_000 { return "\(bytes >> whole.shift)\(whole.name)" }
    guard let unit = units.first(where: { bytes >> $0.shift > 0 }) else { return "\(bytes) bytes" }
    let tenths = ((bytes >> (unit.shift - 10)) * 10) >> 10
    return tenths % 10 == 0 ? "\(tenths / 10)\(unit.name)" : "\(tenths / 10).\(tenths % 10)\(unit.name)"
  }
}
