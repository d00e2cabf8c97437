/// Paths, and the files and folders at them, asked of the system itself: every start looks for plugins, and what Foundation
/// sets up at its first use takes as long as the rest of a small workflow.
package enum FilePath {
  /// Whether a path begins with a slash. A mark that combines with the slash is a part of the next name.
  package static func isAbsolute(_ path: some StringProtocol) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  /// The path from a folder, nil if the path is not below the folder. Both are compared byte by byte.
  package static func path(of path: String, below folder: String) -> String? {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    guard path.utf8.starts(with: start.utf8) else { return nil }
    return String(Substring(path.utf8.dropFirst(start.utf8.count)))
  }

  /// The parts between slashes, without empty ones.
  package static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
  }

  /// The path made absolute against the working directory, as the system itself would: its parts stay as they are.
  package static func absolute(_ path: String) -> String {
    if isAbsolute(path) { return path }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  /// The absolute path without the parts `.` and `..` and without slashes that change nothing, for going from folder to
  /// folder. Links are not followed, so that `..` may lead elsewhere than the system goes.
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

  /// The path with every link followed; the path itself where there is nothing.
  package static func real(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// The names of the files and folders in a folder, sorted; nil when it cannot be read.
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

  /// Whether there is anything at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether two paths lead to one file or folder, also through links and mounts. A path is always the same as itself.
  package static func isSame(_ first: String, _ second: String) -> Bool {
    guard first != second else { return true }
    var (one, other) = (stat(), stat())
    guard stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// Whether there is a folder at a path.
  package static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  /// Whether there is something else than a folder at a path.
  package static func isFile(_ path: String) -> Bool { kind(of: path).map { $0 != S_IFDIR } ?? false }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// The folder of a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What a path leads to through links, whether there is anything or not.
  package static func target(of path: String) -> String {
    var path = path
    // As many links as the system itself follows.
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

  /// Whether two paths lead to one regular file, or would once it is made. Pipes and devices may be named twice.
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

  /// The last part of a path.
  private static func name(of path: String) -> Substring {
    path[(path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex)...]
  }
}
