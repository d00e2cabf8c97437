import FlowExpressions
import FlowModel
import FlowTestKit
import Foundation
import Testing

/// The rules for converting values to Booleans, numbers and text.
struct CoercionTests {
  @Test(arguments: [
    ("null", false), ("false", false), ("0", false), ("-0", false), ("NaN", false), ("''", false), ("true", true),
    ("-1", true), ("Infinity", true), ("' '", true), ("'false'", true), ("'0'", true), ("list", true), ("map", true),
  ])
  func `null, false, zeros, NaN and the empty string are falsy`(source: String, expected: Bool) throws {
    #expect(try evaluate("!!\(source)", ["list": [], "map": [:]]) == .boolean(expected))
  }

  @Test(
    arguments: [
      ("", 0), ("  ", 0), (" 12 ", 12), ("\u{A0}\t1.5\n", 1.5), ("0x1F", 31), ("0o17", 15), ("+1e2", 100),
      ("-.5", -0.5),
      ("5.", 5), ("Infinity", .infinity), ("-Infinity", -.infinity),
    ] as [(String, Double)])
  func `strings are converted to numbers as in JavaScript`(text: String, expected: Double) throws {
    #expect(try evaluate("text == number", ["text": .string(text), "number": .number(expected)]) == true)
  }

  @Test(arguments: ["abc", "1,5", "0X1F", "0b1", "1 2", "infinity", "NaN", "true", "٣"])
  func `strings that are not numbers become NaN, which equals nothing`(text: String) throws {
    let contexts: ValueObject = ["text": .string(text)]
    #expect(try evaluate("text == 0 || text < 0 || text > 0 || text == NaN", contexts) == false)
  }

  @Test(
    arguments: [
      (0.1, "0.1"), (-0.0, "0"), (1e14, "100000000000000"), (999_999_999_999_999, "999999999999999"), (1e15, "1E+15"),
      (123_456_789_012_345_680, "1.23456789012346E+17"), (0.0001, "0.0001"), (0.00001, "1E-05"), (1.5e-7, "1.5E-07"),
      (0.30000000000000004, "0.3"), (1.2345678901234567, "1.23456789012346"), (-1.5, "-1.5"), (1e300, "1E+300"),
      (0.99999999999999999, "1"), (9.999999999999999, "10"), (100_000_000_000_000.5, "100000000000000"),
      (100_000_000_000_001.5, "100000000000002"),
    ] as [(Double, String)])
  func `numbers are formatted with at most 15 digits`(number: Double, text: String) throws {
    #expect(try evaluate("format('{0}', x)", ["x": .number(number)]) == .string(text))
  }

  /// The C library also rounds exactly, so it serves as the reference.
  @Test(.timeLimit(.minutes(10))) func `rounding to 15 digits is as exact as in the C library`() throws {
    for seed in seeds(10_000) {
      var random = SeededGenerator(seed: seed)
      let bits = random.next()
      // Every second number has few fractional digits, so that exact halves are frequent.
      let number = seed % 2 == 0 ? abs(Double(bitPattern: bits)) : Double(bits >> 13) / Double(1 << (bits % 12))
      guard number.isFinite, number > 0 else { continue }
      let written = try evaluate("format('{0}', x)", ["x": .number(number)]).stringValue
      #expect(written.flatMap(Double.init) == Double(String(format: "%.14e", number)), "seed \(seed): \(number)")
    }
  }

  @Test func `integers are returned unchanged, and used as numbers in comparisons and indices`() throws {
    #expect(try evaluate("x", ["x": .integer(.max)]).kindName == "integer")
    #expect(try evaluate("x == 9223372036854775807", ["x": .integer(.max)]) == true)
    #expect(try evaluate("format('{0}', x)", ["x": 42]) == "42")
    #expect(try evaluate("x && x < 2.5 && list[x]", ["x": 1, "list": ["a", "b"]]) == "b")
  }
}
