/// Reads the list of processes from `/proc`, which only Linux has. On other systems, the list is empty.
package enum ProcessTable {
  /// The system's information about a process.
  package struct ProcessState {
    /// True if the process has ended but has not been reaped.
    package var hasEnded: Bool
    package var parent: pid_t
    package var group: pid_t
    package var session: pid_t
    package var threads: Int
  }

  /// The numbers of all processes in the system.
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

  /// Returns the state of a process, or nil if there is no such process.
  package static func entry(of process: pid_t) -> ProcessState? {
    let file = Descriptor(open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC))
    return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
      guard file.number >= 0, case .bytes(let count) = file.receive(into: buffer) else { return nil }
      return ProcessState(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Processes are counted only if the limit is lower than this, because counting them takes longer than starting a
  /// command.
  private static let few = 512

  /// True if this user may still create more than half of the allowed processes and threads (`ulimit -u`). Also true if
  /// there is no limit or the limit is high.
  package static func isHalfFree(of limit: Int?) -> Bool {
    guard let limit, let room else { return true }
    return room > limit / 2
  }

  /// The number of processes and threads that this user may still create. Nil if there is no limit or if it is at least
  /// `few`.
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

  /// The maximum number of processes and threads of this user, or nil if there is no limit. The limit does not apply to
  /// root.
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

extension ProcessTable.ProcessState {
  /// Parses a line of the form `number (name) state parent group session …`, or returns nil if it is incomplete. The
  /// name may contain any characters, and the number of threads is the 18th field after it. The line is not converted
  /// to a string, because there may be thousands of processes.
  fileprivate init?(_ line: UnsafeRawBufferPointer) {
    guard let nameEnd = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    self.init(hasEnded: false, parent: 0, group: 0, session: 0, threads: 0)
    var field = -1
    var number = 0
    for byte in line[(nameEnd + 1)...] {
      switch byte {
      case UInt8(ascii: " "):
        if store(number, field) { return }
        field += 1
        number = 0
      case UInt8(ascii: "Z") where field == 0, UInt8(ascii: "X") where field == 0: hasEnded = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number &* 10 &+ Int(byte &- UInt8(ascii: "0"))
      default: break
      }
    }
    return nil
  }

  /// Stores a field that has been read. Returns true if no further field is needed.
  private mutating func store(_ number: Int, _ field: Int) -> Bool {
    switch field {
    case 1: parent = pid_t(truncatingIfNeeded: number)
    case 2: group = pid_t(truncatingIfNeeded: number)
    case 3: session = pid_t(truncatingIfNeeded: number)
    case 17: threads = number
    default: break
    }
    return field == 17
  }
}
