import FlowDiagnostics

/// Hides the passwords that addresses of stores may contain, for messages.
package enum StoreAddress {
  /// Replaces each password in the address by `***`: in the user information, in a parameter (even if its name is
  /// percent-encoded), and after a keyword. Text that only looks like a password is hidden too.
  package static func masked(_ address: String) -> String {
    var masked = address
    for secret in secrets(in: address).sorted(by: { $0.count > $1.count }) {
      // Longer passwords come first, because they may contain shorter ones.
      masked = replacing(secret, in: masked)
    }
    return masked
  }

  /// Hides the passwords of an address in a message about it: as written, percent-decoded, and in the parts into which
  /// a parser may split them.
  package static func masked(_ message: String, about address: String) -> String {
    var parts: Set<String> = []
    for secret in secrets(in: address) {
      for form in [secret, PercentEncoding.decoded(secret)] {
        parts.insert(form)
        parts.formUnion(
          form.split(whereSeparator: { "@/:?&#='\" ".contains($0) }).map(String.init).filter { $0.count > 2 })
      }
    }
    return parts.sorted { $0.count > $1.count }.reduce(message.replacing(address, with: masked(address))) {
      replacing($1, in: $0)
    }
  }

  /// Replaces a password byte by byte. A search by characters would not find one that begins with a combining mark,
  /// because the mark and the character before it count as one character.
  private static func replacing(_ secret: String, in text: String) -> String {
    String(decoding: Array(text.utf8).replacing(Array(secret.utf8), with: Array("***".utf8)), as: UTF8.self)
  }

  /// True if the value of a parameter with this name is a secret.
  private static func isSecret(_ name: String) -> Bool {
    let name = PercentEncoding.decoded(name).lowercased()
    return ["password", "passwd", "secret", "token", "scram"].contains { name.contains($0) }
  }

  /// Returns the passwords in an address, as written.
  private static func secrets(in address: String) -> [String] {
    var found: [String] = []
    let start = address.unicodeScalars.firstRange(of: "://".unicodeScalars)?.upperBound ?? address.startIndex
    let rest = address[start...].unicodeScalars
    // A password may contain `@` or `?`, so the last `@` ends it.
    let query = rest.firstIndex(of: "?")
    let end = rest[..<(query ?? rest.endIndex)].lastIndex(of: "@") ?? rest.lastIndex(of: "@")
    if let end, let colon = rest[..<end].firstIndex(of: ":") {
      found.append(String(rest[rest.index(after: colon)..<end]))
    }
    if let query {
      for parameter in rest[rest.index(after: query)...].split(whereSeparator: { "&;#".unicodeScalars.contains($0) }) {
        guard let mark = parameter.firstIndex(of: "="), isSecret(String(parameter[..<mark])) else { continue }
        found.append(String(parameter[parameter.index(after: mark)...]))
      }
    }
    found += keywordSecrets(in: address)
    return found.filter { !$0.isEmpty }
  }

  /// Returns the values of secret keywords, such as `password=…`, in a list of keywords. A value ends at a space, or is
  /// in quotes, in which a backslash escapes the next character. Returns an empty array for a URL.
  private static func keywordSecrets(in text: String) -> [String] {
    guard text.unicodeScalars.firstRange(of: "://".unicodeScalars) == nil else { return [] }
    var found: [String] = []
    var rest = text.unicodeScalars[...]
    while let mark = rest.firstIndex(of: "=") {
      let name = rest[..<mark].split(separator: " ").last.map(String.init) ?? ""
      rest = rest[rest.index(after: mark)...].drop { $0 == " " }
      var value = String.UnicodeScalarView()
      let isQuoted = rest.first == "'"
      if isQuoted { rest.removeFirst() }
      while let character = rest.first, isQuoted ? character != "'" : character != " " {
        value.append(rest.removeFirst())
        if character == "\\", let next = rest.popFirst() { value.append(next) }
      }
      if isSecret(name) { found.append(String(value)) }
    }
    return found
  }
}
