import FlowDiagnostics
import FlowModel
import FlowSecrets
import Testing

/// Secrets that terminal sequences interrupt, such as those of `grep --color`.
struct `Secrets that a command prints` {
  private static let secret = "s3cr3t-t0k3n"
  private static let mask = SecretMask([("token", secret)])

  /// Sequences that a terminal does not show.
  private static let sequences = [
    "\u{1B}[01;31m\u{1B}[K", "\u{1B}[m\u{1B}[K", "\u{1B}[38;5;196m", "\u{1B}[4:3m", "\u{1B}(B", "\u{1B})0", "\u{1B}#8",
    "\u{1B}]0;a title\u{7}", "\u{1B}]8;;https://example.com\u{1B}\\", "\u{1B}]8;;\u{7}", "\u{1B}]52;c;aGk=\u{7}",
    "\u{1B}P+q\u{1B}\\", "\u{1B}_apc\u{9C}", "\u{1B}[?25l", "\u{1B}[1\u{8};31m", "\u{9B}1m", "\u{9D}0;x\u{7}",
    "\u{1B}c", "\u{1B}7", "\u{1B}[2\u{18}", "x\u{8}", "xy\u{8}\u{8}", "x\u{1B}[D", "x\u{1B}[1D\u{1B}[K",
  ]

  /// Characters that are recorded as visible symbols, and a carriage return.
  private static let controls = ["\0", "\u{7}", "\u{200E}", "\u{FEFF}", "\r", "\u{7F}", "\u{C}"]

  private func recorded(_ text: String, isCut: Bool = false) -> String {
    TerminalText.commandText(Self.mask.masked(printed: text, isCut: isCut))
  }

  @Test func `a printed secret is hidden wherever an escape sequence or control character interrupts it`() {
    for sequence in Self.sequences {
      for index in Self.secret.indices {
        let text = "a=" + Self.secret[..<index] + sequence + Self.secret[index...] + "!"
        #expect(recorded(text) == "a=***!", "\(text.debugDescription)")
      }
    }
    for control in Self.controls {
      for index in Self.secret.indices.dropFirst() {
        let text = "a=" + Self.secret[..<index] + control + Self.secret[index...] + "!"
        let expected = control == "\r" ? "***!" : "a=***\(TerminalText.visible(control))***!"
        #expect(recorded(text) == expected, "\(text.debugDescription)")
      }
    }
  }

  @Test func `a printed secret is hidden if it contains many escape sequences`() {
    var random = FixedNumbers(state: 0x5EED)
    for _ in 0..<2_000 {
      var text = "a="
      for character in Self.secret {
        while random.next() % 3 == 0 { text += Self.sequences[Int(random.next() % UInt64(Self.sequences.count))] }
        text.append(character)
      }
      #expect(recorded(text + "!") == "a=***!", "\(text.debugDescription)")
    }
  }

  @Test(arguments: [
    // Every character is printed twice, like bold text in manual pages.
    ("s\u{8}s3\u{8}3c\u{8}cr\u{8}r3\u{8}3t\u{8}t-\u{8}-t\u{8}t0\u{8}0k\u{8}k3\u{8}3n\u{8}n", "***"),
    ("s3cr3t-t0kX\u{8}3n.", "***."), ("s3cr3t-t0k3n\u{8}\u{8}\u{8}", "***"), ("10 %\rs3cr3t-t0k3n\r", "***"),
    ("s3cr3t-t0k3n\rok", "ok"), ("s3cr3t-\rt0k3n", "***"), ("\u{1B}[s3cr3t-t0k3n", "***"),
    ("\u{1B}(s3cr3t-t0k3n", "***"),
    ("\u{1B}]0;s3cr3t-t0k3n\u{7}title", "title"), ("s3c\u{1B}[3", "s3c"),
    ("a\n\u{1B}[1ms3cr3t-\u{1B}[mt0k3n\nb", "a\n***\nb"),
    ("\u{1B}[32mczNjcjN0\u{1B}[mLXQwazNu", "***"), ("t0k3n\u{1B}[m s3cr3t", "t0k3n s3cr3t"),
  ])
  func `a secret is hidden both in the printed and in the displayed text`(text: String, shown: String) {
    #expect(recorded(text) == shown)
  }

  @Test func `hiding a secret does not change the colors around it`() {
    let text = "a=s3cr3t-\u{1B}[01;31m\u{1B}[Kt0k\u{1B}[m\u{1B}[K3n b\u{1B}[2J"
    #expect(Self.mask.masked(printed: text) == "a=***\u{1B}[01;31m\u{1B}[m b\u{1B}[0m")
  }

  @Test func `output that may end inside a secret is withheld`() {
    let text = "the s3cr3t-\u{1B}[01;31m\u{1B}[Kt0k\u{1B}[m\u{1B}[K3n is \u{1B}]0;title\u{7}here"
    let bytes = Array(text.utf8)
    for count in 0...bytes.count {
      let beginning = String(decoding: bytes[..<count], as: UTF8.self)
      let shown = TerminalText.commandText(Self.mask.withholding(printed: beginning))
      #expect("the *** is here".hasPrefix(shown), "\(beginning.debugDescription): \(shown)")
    }
    #expect(Self.mask.withholding(printed: "the s3cr\u{1B}[m") == "the \u{1B}[0m")
    #expect(recorded("the s3cr\u{1B}[m") == "the s3cr")
  }

  @Test func `a secret is hidden in a text that is cut off anywhere inside the secret`() {
    let text = "the \u{1B}[1ms3cr3t-\u{1B}[01;31m\u{1B}[Kt0k\u{1B}[m\u{1B}[K3n"
    let bytes = Array(text.utf8)
    for count in 4...bytes.count {
      let shown = recorded(String(decoding: bytes[..<count], as: UTF8.self), isCut: true)
      #expect("the ***".hasPrefix(shown), "\(count): \(shown)")
    }
  }

  @Test func `a secret that escape sequences interrupt is hidden in an error message`() {
    let message = "'make' exited with status 1:\n  \u{1B}[31merror:\u{1B}[m s3cr3t-\u{1B}[1mt0k3n\n  next"
    #expect(Self.mask.masked(message: message, cutAfter: 1000) == "'make' exited with status 1:\n  error: ***\n  next")
    let long = String(repeating: "x", count: 990) + "\u{1B}[1ms3cr\u{1B}[m3t"
    #expect(Self.mask.masked(message: "a\n" + long, cutAfter: 1000).hasSuffix("xx***"))
  }

  @Test func `searching several lines together hides the same secrets as searching each line separately`() {
    let key = "-----BEGIN KEY-----\nQUJDREVGR0hJSktM\nTU5PUFFSU1RVVldY\n-----END KEY-----"
    let mask = SecretMask([("token", Self.secret), ("key", key), ("pin", "a+b/c=&%")])
    let pieces = [
      Self.secret, "s3cr3t-", "t0k3n", "s3cr3t-\u{1B}[1mt0k3n", "QUJDREVGR0hJSktM", "-----BEGIN KEY-----", "a+b/c",
      "=&%", "a%2Bb%2Fc%3D%26%25", "czNjcjN0LXQwazNu", "YTogczNjcjN0LXQwazNuIQ==", "czNjcjN0", "LXQwazNu",
      "s3cr3t\\u002dt0k3n", "&quot;", "\\", "\\n", "%0A", "10 %\r", "\u{8}", "x", " ", "✓", "\u{200E}", "Ä", "\t", "=",
      "[flowrun: 12 bytes left out]", "a line of a program that does something useful", "",
    ]
    var random = FixedNumbers(state: 0xB10C)
    for _ in 0..<3_000 {
      let lines = (0..<Int(random.next() % 9)).map { _ in
        (0..<Int(random.next() % 4)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
      }
      let (masked, isPlain) = mask.masked(PrintedLines(lines))
      #expect(masked.strings == lines.map { mask.masked(printed: $0) }, "\(lines)")
      #expect(isPlain == !CommandText.isNeeded(for: masked.text))
    }
    // A long text is searched in several parts.
    let many = (0..<200).map { $0 % 50 == 49 ? "line \($0): \(Self.secret)" : "line \($0)" }
    #expect(mask.masked(PrintedLines(many)).lines.strings == many.map { mask.masked(printed: $0) })
  }

  @Test func `a secret that escape sequences interrupt is detected in a step's output`() {
    for text in ["s3cr3t-\u{1B}[1mt0k3n", "s3cr3t-t0kX\u{8}3n", "s3cr3t-\0t0k3n"] {
      #expect(Self.mask.spreadSecret(in: ["text": .string(text)]) == "token", "\(text.debugDescription)")
    }
    #expect(Self.mask.spreadSecret(in: ["text": "\u{1B}[1ms3cr3t-t0k3n\u{1B}[m"]) == nil)
  }
}

/// A generator that returns the same numbers in each run.
private struct FixedNumbers {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
