/// The processes of the system; empty without `/proc`, which only Linux has.
package enum ProcessTable {
  /// The state of a process.
  package struct ProcessState {
    /// True if it has ended and was not reaped yet.
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

  /// The state of a process, or nil if there is none.
  package static func entry(of process: pid_t) -> ProcessState? {
    let file = Descriptor(open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC))
    return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
      guard file.number >= 0, case .bytes(let count) = file.receive(into: buffer) else { return nil }
      // `number (name) state parent group session …`; the number of threads is the 18th field after the name, which may
      // contain anything.
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

  /// Higher limits are not checked, because counting all processes takes longer than starting a command.
  private static let few = 512

  /// True if more than half of this user's processes and threads (`ulimit -u`) are free, or if the limit is high.
  package static func isHalfFree(of limit: Int?) -> Bool {
    guard let limit, let room else { return true }
    return room > limit / 2
  }

  /// The number of processes and threads that this user may still create, or nil if the limit is high.
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
