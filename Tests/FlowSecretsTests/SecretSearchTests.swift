import FlowModel
import FlowSecrets
import Foundation
import TestSupport
import Testing

/// Cases in which the search could miss a secret: at the edges of the parts that are searched alternately, in long
/// secrets, and after states have been removed.
struct `The search for secrets` {
  private static let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil
  private static let token = "s3cr3t-T0ken/\"x"

  /// Random texts that depend only on the seed.
  private struct Noise {
    var seed: UInt64

    mutating func number(below bound: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }

    mutating func text(_ count: Int, _ alphabet: String) -> String {
      let letters = Array(alphabet)
      return String((0..<count).map { _ in letters[number(below: letters.count)] })
    }
  }

  private static let base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

  @Test func `the search finds a secret at any position in texts of any length`() {
    let mask = SecretMask([("token", Self.token)])
    for length in [0, 1, 5, 11, 12, 13, 15, 16, 17, 31, 64, 150] {
      for start in 0...length {
        let (before, after) = (String(repeating: "s", count: start), String(repeating: "s3cr", count: length - start))
        #expect(mask.masked(before + Self.token + after) == before + "***" + after, "\(start) of \(length)")
        #expect(mask.masked(before + Self.token.dropLast(), isCut: true) == before + "***", "\(start)")
      }
    }
  }

  @Test func `the search finds all secrets that follow each other or overlap`() {
    let mask = SecretMask([("a", "abcdefgh"), ("b", "efghijkl"), ("c", "cdef")])
    for count in 0..<30 {
      let dots = String(repeating: ".", count: count)
      let wanted = count > 0 ? "\(dots)***\(dots)***\(dots)" : "***"
      #expect(mask.masked(dots + "abcdefghijkl" + dots + "cdef" + dots) == wanted)
    }
  }

  @Test(.enabled(if: isLong)) func `the search finds secrets in text that needs more states than are cached`() {
    var noise = Noise(seed: 1)
    let secrets = (0..<100).map { _ in noise.text(20, Self.base64Letters) }
    let mask = SecretMask(secrets.enumerated().map { (name: "s\($0.offset)", text: $0.element) })
    for secret in secrets {
      let (before, after) = (noise.text(3_000, Self.base64Letters) + ".", "." + noise.text(3_000, Self.base64Letters))
      #expect(mask.masked(before + secret + after) == before + "***" + after)
    }
  }

  @Test func `the search finds long secrets, plain and encoded`() throws {
    var noise = Noise(seed: 2)
    let secret = noise.text(5_000, Self.base64Letters + "\"\\ %&'")
    let mask = SecretMask([("key", secret), ("other", "\(secret.dropLast(2))..")])
    let json = try String(decoding: JSONEncoder().encode(secret), as: UTF8.self).dropFirst().dropLast()
    for text in [secret, String(json), Data(secret.utf8).base64EncodedString()] {
      #expect(mask.masked("<\(text)>") == "<***>")
      let withPlaceholders = mask.withPlaceholders(["text": .string(text)])
      #expect(withPlaceholders["text"]?.stringValue?.hasPrefix("{secret:key/") == true)
      #expect(try SecretMask.filled(withPlaceholders, by: mask) == ["text": .string(text)])
    }
    let wrong = "\(secret.dropLast(2))=="
    #expect(mask.masked(wrong) == wrong)
    #expect(mask.masked(String(secret.dropLast(2)), isCut: true) == "***")
  }

  @Test(arguments: [12, 13, 14, 15, 40, 64, 76])
  func `the search finds lines of base64 of any width, wherever they begin`(width: Int) {
    var noise = Noise(seed: 3)
    let secret = noise.text(90, "abcdefgh0123 -\"")
    let mask = SecretMask([("key", secret)])
    for before in ["", "a", "ab", "abc", "a longer beginning"] {
      let whole = Data((before + secret).utf8).base64EncodedString()
      let first = whole.index(whole.startIndex, offsetBy: (before.utf8.count * 8 + 5) / 6)
      let rest = whole[first...]
      let lines = stride(from: 0, to: rest.count, by: width).map { rest.dropFirst($0).prefix(width) }
      for line in lines where line.count == width && !line.hasSuffix("=") {
        #expect(mask.masked("abc\n\(line)\r\nabc") == "abc\n***\nabc", "\(line)")
        // A line that differs in one character must not be hidden.
        let other = "\(line.dropLast(6))\(line.dropLast(5).last == "A" ? "B" : "A")\(line.suffix(5))"
        #expect(mask.masked("abc\n\(other)\nabc") != "abc\n***\nabc" || width < 18, "\(other)")
      }
    }
  }

  @Test(.enabled(if: isLong))
  func `searching for 100 secrets of 64 KiB takes less than five times as long as for 10`() {
    func seconds(_ count: Int) -> Duration {
      var noise = Noise(seed: 4)
      let secrets = (0..<count).map { _ in
        (0..<850).map { _ in noise.text(76, Self.base64Letters) }.joined(separator: "\n")
      }
      let mask = SecretMask(secrets.enumerated().map { (name: "s\($0.offset)", text: $0.element) })
      return ContinuousClock().measure { #expect(mask.masked(secrets[0]) == "***") }
    }
    // Searching for each secret in each line would take ten times as long.
    #expect(seconds(100) < seconds(10) * 5)
  }

  @Test(.timeLimit(.minutes(10)), arguments: [0, 9])
  func `a long secret of one repeated character, or similar text, is hidden within ten minutes`(missing: Int) throws {
    let secret = String(repeating: "a", count: Self.isLong ? 1 << 16 : 1_536)
    let mask = SecretMask([("key", secret)])
    let plain = String(secret.dropLast(missing))
    for text in [plain, Data(plain.utf8).base64EncodedString()] {
      // If a text is nearly equal to a secret, everything except its beginning and end is hidden.
      let shown = mask.masked("<\(text)>")
      #expect(missing == 0 ? shown.hasPrefix("<***") : shown.contains("***"), "\(shown)")
      #expect(shown.utf8.count < 600, "\(shown)")
    }
    #expect(mask.masked("<\(secret)>") == "<***>")
    let encoded = Data(secret.utf8).base64EncodedString()
    let filled = try SecretMask.filled(mask.withPlaceholders(["text": .string(encoded)]), by: mask)
    #expect(filled == ["text": .string(encoded)])
  }

  @Test(.timeLimit(.minutes(10)))
  func `the end of a secret after a cut is hidden and restored, but a text that resembles it stays visible`() throws {
    var noise = Noise(seed: 5)
    let log = String(repeating: "-", count: TestExtent.count(usual: 1 << 16, release: 1 << 19, long: 1 << 19))
    for secret in [String(repeating: "a", count: 1_024), noise.text(512, "ab"), noise.text(90, Self.base64Letters)] {
      let mask = SecretMask([("key", secret), ("other", "x" + secret.suffix(100))])
      for count in [9, secret.count - 1] {
        let line = "[flowrun: 9 bytes left out]\n"
        #expect(mask.masked(log + line + secret.suffix(count) + " next") == log + line + "*** next")
        let text = log + line + secret.suffix(count) + "\n"
        let filled = try SecretMask.filled(mask.withPlaceholders(["text": .string(text)]), by: mask)
        #expect(filled == ["text": .string(text)])
        // A text that only resembles the end of the secret stays visible.
        let other = secret.suffix(count).dropLast(5) + "-----"
        #expect(mask.masked(log + line + other).hasSuffix("-----"))
      }
    }
  }
}
