extension FilePath {
  /// The path with the user's home folder in the place of `~` before a slash, as a shell reads it. If HOME is not set the
  /// path is unchanged.
  package static func withHome(_ path: String) -> String {
    guard path.utf8.starts(with: "~/".utf8), let home = getenv("HOME"), home.pointee != 0 else { return path }
    return String(cString: home) + String(decoding: path.utf8.dropFirst(), as: UTF8.self)
  }
}
