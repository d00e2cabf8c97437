extension FilePath {
  /// Returns the path with a leading `~` replaced by the user's home folder, as in a shell. `~name` is not replaced.
  /// The path is unchanged if HOME is not set.
  package static func withHome(_ path: String) -> String {
    guard path == "~" || path.utf8.starts(with: "~/".utf8), let home = getenv("HOME"), home.pointee != 0 else {
      return path
    }
    return String(cString: home) + String(decoding: path.utf8.dropFirst(), as: UTF8.self)
  }
}
