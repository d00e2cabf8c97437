/// The processes that listen at a TCP port of this machine, found through `/proc`, which only Linux has. The open files
/// of other users' processes are not visible there.
package struct PortListeners: Sendable {
  /// The numbers of the processes. Empty if none is visible.
  package var processes: Set<pid_t> = []

  /// The names of programs that listen on behalf of containers. They do not descend from the command that started the
  /// container.
  private static let programsForContainers: Set<String> = [
    "conmon", "docker-proxy", "dockerd", "rootlesskit", "rootlessport",
  ]

  /// Finds the processes that listen at a port.
  package init(at port: Int) {
    let sockets = ["tcp", "tcp6"].reduce(into: Set<UInt64>()) { sockets, table in
      sockets.formUnion(Self.sockets(at: port, in: LeftBehind.bytes(of: "/proc/self/net/\(table)")))
    }
    if sockets.isEmpty { return }
    processes = Set(ProcessTable.numbers.filter { process in Self.holds(sockets, process) })
  }

  /// Returns a description of a listener that does not belong to the process group of a command, such as `'nc -l 8080'
  /// (4711)`. Returns nil if a listener belongs to the group or to a container, or if no listener is visible.
  package func stranger(to group: ProcessGroup) -> String? {
    guard let first = processes.min(), !processes.contains(where: { group.includes($0) || Self.isForContainers($0) })
    else { return nil }
    return LeftBehind.description(of: first)
  }

  private static func isForContainers(_ process: pid_t) -> Bool {
    let name = LeftBehind.bytes(of: "/proc/\(process)/comm").prefix { $0 != UInt8(ascii: "\n") }
    return programsForContainers.contains(String(decoding: name, as: UTF8.self))
  }

  /// Returns the numbers of the listening sockets in the text of `/proc/net/tcp`. A line looks like `0: 0100007F:1F90
  /// 00000000:0000 0A …`. The port is hexadecimal, `0A` is the listening state, and the tenth column is the number of
  /// the socket.
  static func sockets(at port: Int, in table: [UInt8]) -> [UInt64] {
    table.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
      guard words.count > 9, words[3].elementsEqual("0A".utf8) else { return nil }
      let local = String(decoding: words[1], as: UTF8.self).utf8.split(separator: UInt8(ascii: ":"))
      guard local.count == 2, Int(String(Substring(local[1])), radix: 16) == port else { return nil }
      return UInt64(String(decoding: words[9], as: UTF8.self))
    }
  }

  /// True if a process has opened one of these sockets.
  private static func holds(_ sockets: Set<UInt64>, _ process: pid_t) -> Bool {
    let path = "/proc/\(process)/fd"
    guard let folder = opendir(path) else { return false }
    defer { closedir(folder) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { target in
      while let entry = readdir(folder) {
        let count = readlinkat(dirfd(folder), entry.name, target.baseAddress!, target.count)
        guard count > 0, count < target.count else { continue }
        // The target of a link has the form `socket:[10746195]`.
        let text = String(decoding: UnsafeRawBufferPointer(target)[..<count], as: UTF8.self)
        guard text.hasPrefix("socket:["), let number = UInt64(text.dropFirst(8).dropLast()) else { continue }
        if sockets.contains(number) { return true }
      }
      return false
    }
  }
}
