import CFlowProcess

/// The minimum resources that flowrun needs, checked first if the system limits them: a program that runs out of memory
/// or threads later crashes, or misses a signal.
package enum SystemMinimum {
  /// The number of threads and processes: for signals, the history, deadlines, a step, its command and the guard of
  /// both.
  package static let tasks = 12
  /// The address space in mebibytes, in addition to what the program itself uses.
  package static let freeMebibytes = 128

  /// Limits of at least this many tasks are not tested, because the test takes longer than the rest of the start.
  private static let ampleTasks: UInt64 = 512

  /// The reason why the program cannot run with the current limits, or nil if it can.
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

  /// A limit, or nil if there is none.
  private static func limit(of number: Int64) -> UInt64? { number < 0 ? nil : UInt64(number) }

  /// The address space that the process uses, in bytes.
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
