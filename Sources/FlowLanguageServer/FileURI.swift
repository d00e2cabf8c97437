import FlowDiagnostics

/// Converts between paths and URIs of files.
enum FileURI {
  /// Returns the path in a `file:` URI. For another URI, returns the part after the scheme.
  static func path(of uri: String) -> String {
    var rest = uri[...]
    if rest.hasPrefix("file://") {
      rest = rest.dropFirst(7)
      // The path may be preceded by a host.
      rest = rest.firstIndex(of: "/").map { rest[$0...] } ?? rest
    } else if let colon = rest.firstIndex(of: ":") {
      rest = rest[rest.index(after: colon)...]
    }
    return PercentEncoding.decoded(rest)
  }

  /// Returns the path in the URI of a folder, without a slash at the end.
  static func folder(of uri: String) -> String {
    let path = path(of: uri)
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Returns the `file:` URI of a file with an absolute path.
  static func uri(ofPath path: String) -> String {
    var text = "file://"
    for byte in path.utf8 {
      let isPlain =
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
        || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") || "/-._~".utf8.contains(byte)
      if isPlain {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return text
  }
}
