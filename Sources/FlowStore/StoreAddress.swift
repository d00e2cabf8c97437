import FlowDiagnostics

/// Addresses of stores in messages: a password never leaves the program, in whichever form the address has it.
public enum StoreAddress {
  /// The address with `***` in place of every password: in the user information, in a parameter (its name may be
  /// percent-encoded), and behind a keyword. Text that only looks like a password is hidden, too.
  public static func masked(_ address: String) -> String {
    var masked = address
    for secret in secrets(in: address).sorted(by: { $0.count > $1.count }) {
      // From the end: a password is never before the scheme.
      masked = masked.replacing(secret, with: "***")
    }
    return masked
  }

  /// A message about the address without its passwords, as they were written and decoded, whole and in the parts that a
  /// parser may take for something else.
  public static func masked(_ message: String, about address: String) -> String {
    var parts: Set<String> = []
    for secret in secrets(in: address) {
      for form in [secret, PercentEncoding.decoded(secret)] {
        parts.insert(form)
        parts.formUnion(
          form.split(whereSeparator: { "@/:?&#='\" ".contains($0) }).map(String.init).filter { $0.count > 2 })
      }
    }
    return parts.sorted { $0.count > $1.count }.reduce(message.replacing(address, with: masked(address))) {
      $0.replacing($1, with: "***")
    }
  }

  /// Whether a parameter of this name holds a secret.
  private static func isSecret(_ name: String) -> Bool {
    let name = PercentEncoding.decoded(name).lowercased()
    return ["password", "passwd", "secret", "token", "scram"].contains { name.contains($0) }
  }

  /// The passwords of an address, as they are written in it.
  private static func secrets(in address: String) -> [String] {
    var found: [String] = []
    let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
    let rest = address[start...]
    // A password with an @ or a ? in it reaches to the last @.
    let query = rest.firstIndex(of: "?")
    let end = rest[..<(query ?? rest.endIndex)].lastIndex(of: "@") ?? rest.lastIndex(of: "@")
    if let end, let colon = rest[..<end].firstIndex(of: ":") {
      found.append(String(rest[rest.index(after: colon)..<end]))
    }
    if let query {
      for parameter in rest[rest.index(after: query)...].split(whereSeparator: { "&;#".contains($0) }) {
        guard let mark = parameter.firstIndex(of: "="), isSecret(String(parameter[..<mark])) else { continue }
        found.append(String(parameter[parameter.index(after: mark)...]))
      }
    }
    found += keywordSecrets(in: address)
    return found.filter { !$0.isEmpty }
  }

  /// The values of `password=…` in keywords and values: up to a space, or in quotes in which a backslash takes the next
  /// character as it is.
  private static func keywordSecrets(in text: String) -> [String] {
    guard !text.contains("://") else { return [] }
    var found: [String] = []
    var rest = text[...]
    while let mark = rest.firstIndex(of: "=") {
      let name = rest[..<mark].split(separator: " ").last.map(String.init) ?? ""
      rest = rest[rest.index(after: mark)...].drop { $0 == " " }
      var value = ""
      let isQuoted = rest.first == "'"
      if isQuoted { rest.removeFirst() }
      while let character = rest.first, isQuoted ? character != "'" : character != " " {
        value.append(rest.removeFirst())
        if character == "\\", let next = rest.popFirst() { value.append(next) }
      }
      if isSecret(name) { found.append(value) }
    }
    return found
  }
}
