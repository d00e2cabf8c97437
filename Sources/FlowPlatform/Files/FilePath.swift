/// Operations on paths, files and folders that use system calls directly. Every start searches for plugins, and the
/// first use of Foundation takes as long as the rest of a small workflow.
package enum FilePath {
  /// True if a path starts with a slash. Bytes are compared, because a combining mark after the slash would belong to
  /// the same character.
  package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  /// Returns the path relative to a folder, or nil if it is not below the folder. Both are compared byte by byte.
  package static func path(of path: String, below folder: String) -> String? {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    guard path.utf8.starts(with: start.utf8) else { return nil }
    return String(Substring(path.utf8.dropFirst(start.utf8.count)))
  }

  /// Returns the non-empty parts between the slashes of a path.
  package static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
  }

  /// Returns the absolute path, resolved against the working directory as by the system. `.` and `..` are kept.
  package static func absolute(_ path: String) -> String {
    if isAbsolute(path) { return path }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  /// Returns the absolute path without `.`, `..` and redundant slashes, for walking up from folder to folder. Links are
  /// not followed, so after a link, `..` may lead to a different folder from the one that the system would use.
  package static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in Self.parts(of: absolute(path)) {
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

  /// Returns the path with all links resolved, or the path itself if it cannot be resolved.
  package static func real(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Returns the sorted names of the files and folders in a folder, or nil if it cannot be read.
  package static func names(in folder: String) -> [String]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = String(cString: entry.name)
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// True if a file or folder exists at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// True if two paths lead to the same file or folder, even through links or mounts. Identical paths always count as
  /// the same.
  package static func isSame(_ first: String, _ second: String) -> Bool {
    guard first != second else { return true }
    var (one, other) = (stat(), stat())
    guard stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// True if there is a folder at the path, or if the path is a link to one.
  package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// True if the path leads to something that exists and is not a folder.
  package static func isFile(_ path: String) -> Bool { kind(of: path).map { $0 != S_IFDIR } ?? false }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Returns the path of the folder that contains the file or folder at a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the path to which links at a path lead, whether anything exists there or not.
  package static func target(of path: String) -> String {
    var path = path
    // The limit that the system itself has for links.
    for _ in 0..<40 {
      let text = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
        let length = buffer.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, $0.count) }
        count = max(0, length)
      }
      guard !text.isEmpty else { return path }
      let link = String(decoding: text, as: UTF8.self)
      path = isAbsolute(link) ? link : folder(of: path) + "/" + link
    }
    return path
  }

  /// True if two paths lead to the same regular file, or will once it is created. False for pipes and devices, which
  /// may be used twice.
  package static func areSame(_ first: String, _ second: String) -> Bool {
    var (one, other) = (stat(), stat())
    let (isOne, isOther) = (stat(first, &one) == 0, stat(second, &other) == 0)
    if isOne || isOther {
      return isOne && isOther && one.st_mode & S_IFMT == S_IFREG && one.st_dev == other.st_dev
        && one.st_ino == other.st_ino
    }
    let (left, right) = (target(of: first), target(of: second))
    guard name(of: left).utf8.elementsEqual(name(of: right).utf8), stat(folder(of: left), &one) == 0,
      stat(folder(of: right), &other) == 0
    else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// Returns the last part of a path.
  private static func name(of path: String) -> Substring {
    path[(path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex)...]
  }
}
