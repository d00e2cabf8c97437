/// Hides values that must not stand in logs: those of keys that look like secrets.
public enum Redaction {
  /// What stands in the place of a value.
  public static let mark = "[redacted]"

  /// Whether the values under a key are hidden: it contains `token`, `password`, `auth` or `code`, in any case.
  public static func hides(_ key: String) -> Bool {
    let key = key.lowercased()
    return ["token", "password", "auth", "code"].contains { key.contains($0) }
  }

  /// The URL as it may stand in a log: at most 256 characters, control characters visible, the values of such query
  /// keys hidden.
  ///
  /// It takes any text, also one that no scanner accepts.
  public static func forLog(_ url: String) -> String {
    var text = ""
    var rest = url[...]
    while let mark = rest.firstIndex(where: { $0 == "?" || $0 == "&" || $0 == "#" || $0 == ";" }) {
      text += hidden(rest[..<mark])
      text.append(rest[mark])
      rest = rest[rest.index(after: mark)...]
    }
    text += hidden(rest)
    text = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isControl ? "\u{FFFD}" : $0 }))
    return text.count > 256 ? text.prefix(255) + "…" : text
  }

  private static func hidden(_ item: Substring) -> String {
    guard let equals = item.firstIndex(of: "="), hides(String(item[..<equals])) else { return String(item) }
    return item[...equals] + Self.mark
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isControl: Bool { generalCategory == .control || generalCategory == .format }
}
