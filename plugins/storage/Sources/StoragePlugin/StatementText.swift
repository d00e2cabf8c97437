/// Checks SQL text without a store.
enum StatementText {
  /// Returns the reason for refusing a statement that is never allowed, or nil.
  static func refusal(of sql: String) -> (denial: StatementAuthorizer.Denial, reason: String)? {
    switch firstWord(of: sql) {
    case "ATTACH", "DETACH": (.outside, "ATTACH and DETACH reach other files")
    case "VACUUM": (.outside, "VACUUM writes the whole file, or another one")
    case "PRAGMA": (.refused, "a PRAGMA changes how the store works; storage.query reads one")
    case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
      (.refused, "all statements of the step run in one transaction")
    case "EXPLAIN": (.refused, "EXPLAIN only reads; use storage.query")
    default: nil
    }
  }

  /// Returns the first word in upper case, without the spaces, semicolons and comments before it. Returns an empty
  /// string if there is no word.
  static func firstWord(of sql: String) -> String {
    var rest = Array(sql.utf8)[...]
    while let byte = rest.first {
      if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else if byte <= 0x20 || byte == UInt8(ascii: ";") {
        rest.removeFirst()
      } else {
        break
      }
    }
    let word = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
    return String(decoding: word, as: UTF8.self).uppercased()
  }
}
