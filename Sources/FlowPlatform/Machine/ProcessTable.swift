/// What the system tells of all processes; nothing where it does not have `/proc`, as only Linux does.
package enum ProcessTable {
  /// What is of interest of a process.
  package struct ProcessState {
    /// Whether it has ended and waits for its parent.
    package var hasEnded: Bool
    package var parent: pid_t
    package var session: pid_t
    package var threads: Int
  }

  /// The numbers of all processes.
  package static var numbers: [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var numbers: [pid_t] = []
    while let entry = readdir(folder) {
      let number = atoi(entry.name)
      if number > 0 { numbers.append(number) }
    }
    return numbers
  }

  /// What the system says of a process; nil where there is none.
  package static func entry(of process: pid_t) -> ProcessState? {
    let file = Descriptor(open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC))
    return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
      guard file.number >= 0, case .bytes(let count) = file.receive(into: buffer) else { return nil }
      // `number (name) state parent group session …`, threads 18th behind the name, which may hold anything.
      let text = String(decoding: buffer[..<count], as: UTF8.self)
      guard let end = text.utf8.lastIndex(of: UInt8(ascii: ")")) else { return nil }
      let fields = Array(text[end...].split(separator: " ").dropFirst())
      guard fields.count > 17, let parent = pid_t(fields[1]), let session = pid_t(fields[3]),
        let threads = Int(fields[17])
      else { return nil }
      return ProcessState(
        hasEnded: fields[0] == "Z" || fields[0] == "X", parent: parent, session: session, threads: threads)
    }
  }

  /// Limits of processes from here on are not looked after: to count what there is takes longer than to start a command.
  private static let few = 512

  /// Whether more than half of the few processes and threads that the system gives this user (`ulimit -u`) are free; true
  /// where it gives many.
  package static func isHalfFree(of limit: Int?) -> Bool {
    guard let limit, let room else { return true }
    return room > limit / 2
  }

  /// How many more processes and threads the system gives this user; nil where it gives many.
  package static var room: Int? {
    guard let limit, limit < few else { return nil }
    let user = getuid()
    var used = 0
    for process in numbers {
      var status = stat()
      if stat("/proc/\(process)", &status) == 0, status.st_uid == user { used += entry(of: process)?.threads ?? 0 }
    }
    return limit - used
  }

  /// The limit, which the system does not apply to root.
  package static let limit: Int? = {
    var limit = rlimit()
    #if canImport(Glibc)
      let failed = getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) != 0
    #else
      let failed = getrlimit(RLIMIT_NPROC, &limit) != 0
    #endif
    return failed || geteuid() == 0 ? nil : Int(exactly: limit.rlim_cur)
  }()
}
