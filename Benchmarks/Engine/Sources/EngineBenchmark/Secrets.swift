import FlowKitYAML
import Foundation

extension EngineBenchmark {
  /// Prints the cost of hiding secrets in texts of 256 KiB. The unit is the time of a chain of dependent table lookups,
  /// one per byte. The measurements alternate, and the fastest of several counts.
  static func secrets() {
    for count in [1, 10, 100] {
      let secrets = (0..<count).map { number in
        (number % 3 == 0 ? "ghp_" : "") + String(number &* 0x9E37_79B9_7F4A &+ 0xBB67_AE85, radix: 36) + "\"x-\(number)"
      }
      let mask = SecretMask(secrets.enumerated().map { (name: "s\($0.offset)", text: $0.element) })
      for (kind, line) in lines(with: secrets) {
        var (text, number) = ("", 0)
        while text.utf8.count < 1 << 18 {
          text += line(number)
          number += 1
        }
        text.makeContiguousUTF8()
        report(kind, count, mask, text)
      }
    }
  }

  private static func lines(with secrets: [String]) -> [(kind: String, line: (Int) -> String)] {
    [
      (
        "English text",
        { "The step number \($0) had to wait for its dependencies, as it says in the plan of the run.\n" }
      ),
      ("JSON", { #"{"id":\#($0),"message":"caf\u00e9 &amp; \"tea\"\nfor \u003ctwo\u003e","ok":true}"# + "\n" }),
      (
        "percent encoding",
        { "https://example.com/a%20page%2f\($0)?q=%E2%82%AC%20and%20more%26less&next=%2Fhome%3Fx%3D1\n" }
      ),
      ("base64", { Data("a line \($0) of what a program encodes in base64".utf8).base64EncodedString() + "\n" }),
      ("text with one in each line", { "step \($0) was given the token \(secrets[$0 % secrets.count]) and took it\n" }),
    ]
  }

  private static func report(_ kind: String, _ count: Int, _ mask: SecretMask, _ text: String) {
    let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
    let bytes = Array(text.utf8)
    let last = lookUps(table, bytes)
    let clock = ContinuousClock()
    var (own, bare) = (Duration.seconds(3600), Duration.seconds(3600))
    for _ in 0..<60 {
      own = min(own, clock.measure { precondition(!mask.masked(text).isEmpty) })
      bare = min(bare, clock.measure { precondition(lookUps(table, bytes) == last) })
    }
    print(
      "{\"row\":\"secrets\",\"kind\":\"\(kind)\",\"secrets\":\(count),\"ratio\":"
        + "\(hundredths(own, bare.nanoseconds)),"
        + "\"nanoseconds\":\(hundredths(own, Int64(bytes.count)))}")
  }

  private static func hundredths(_ duration: Duration, _ divisor: some BinaryInteger) -> Double {
    (Double(duration.nanoseconds) / Double(divisor) * 100).rounded() / 100
  }

  /// Returns the combined result of one lookup per byte. The caller checks it, so that the compiler cannot omit a
  /// lookup.
  @inline(never)
  private static func lookUps(_ table: [UInt8], _ bytes: [UInt8]) -> UInt8 {
    var state: UInt8 = 0
    table.withUnsafeBufferPointer { table in for byte in bytes { state = table[Int(state ^ byte)] } }
    return state
  }
}
