/// Folders and what lies in them, asked of the system itself: every start looks for plugins, and what Foundation sets up
/// at its first use takes as long as the rest of a small workflow.
package enum FolderPath {
  /// The path made absolute against the working directory, without the parts `.` and `..` and without slashes that
  /// change nothing. Links are not followed.
  package static func absolute(_ path: String) -> String {
    var whole = path
    if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
      whole = String(cString: folder) + "/" + path
      free(folder)
    }
    var parts: [Substring] = []
    for part in whole.split(separator: "/") {
      switch part {
      case ".": break
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    var result = ""
    for part in parts { result += "/\(part)" }
    return result.isEmpty ? "/" : result
  }

  /// The path with every link followed; the path itself where there is nothing.
  package static func real(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The names of what lies in a folder, sorted; nil when it cannot be read.
  package static func names(in folder: String) -> [String]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Whether there is anything at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether there is a folder at a path.
  package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// Whether there is something else than a folder at a path.
  package static func isFile(_ path: String) -> Bool { kind(of: path).map { $0 != S_IFDIR } ?? false }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}
