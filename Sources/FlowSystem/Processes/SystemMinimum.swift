import CFlowProcess

/// The minimum resources that flowrun needs. They are checked at the start, because a program that runs out of memory
/// or threads later crashes or misses a signal.
package enum SystemMinimum {
  /// The required number of threads and processes: those for signals, the run history, deadlines, one step, its
  /// command, and the guard.
  package static let tasks = 12
  /// The required free address space in mebibytes.
  package static let freeMebibytes = 128

  /// The check is skipped if the limit on tasks is at least this, because it takes longer than the rest of the start.
  private static let ampleTasks: UInt64 = 512

  /// The reason why the program cannot run with the limits of the system, or nil if it can.
  package static var problem: String? { memoryProblem ?? taskProblem }

  private static var memoryProblem: String? {
    #if os(Linux)
      guard let limit = limit(of: flow_address_space_limit()), let taken = takenBytes else { return nil }
      let free = limit > taken ? (limit - taken) >> 20 : 0
      guard free < UInt64(freeMebibytes) else { return nil }
      let wanted = (taken >> 10) + UInt64(freeMebibytes) << 10
      return "the address space is limited to \(limit >> 10) KiB, of which \(free) MiB are left; flowrun needs "
        + "\(freeMebibytes) MiB: ulimit -v \(wanted)"
    #else
      return nil
    #endif
  }

  private static var taskProblem: String? {
    guard let limit = limit(of: flow_task_limit()), limit < ampleTasks, geteuid() != 0 else { return nil }
    let found = Int(flow_try_threads(CInt(tasks)))
    guard found < tasks else { return nil }
    return "this user may start only \(found) more processes and threads; flowrun needs \(tasks): raise ulimit -u, "
      + "which is \(limit)"
  }

  /// Converts a limit from C, where a negative number means that there is no limit.
  private static func limit(of number: Int64) -> UInt64? { number < 0 ? nil : UInt64(number) }

  /// The number of bytes of address space that the process uses, or nil if it is unknown.
  private static var takenBytes: UInt64? {
    let file = Descriptor(open("/proc/self/statm", O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      let count = SystemCall.read(file.number, buffer)
      var pages: UInt64 = 0
      for byte in buffer[..<max(0, count)] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
        pages = pages * 10 + UInt64(byte - UInt8(ascii: "0"))
      }
      return pages * UInt64(sysconf(CInt(_SC_PAGESIZE)))
    }
  }
}
