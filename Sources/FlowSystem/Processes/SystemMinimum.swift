import CFlowProcess

/// What flowrun needs of the system at the least, checked before anything else where the system limits it: a program that
/// runs out of memory or threads later crashes, or does not hear a signal.
package enum SystemMinimum {
  /// Threads and processes: those that listen for signals, write the history and hold deadlines, a step, its command and
  /// the guard of both.
  package static let tasks = 12
  /// Mebibytes of address space besides what the program itself takes.
  package static let freeMebibytes = 128

  /// A limit above which the rest is not checked: to try takes longer than the rest of a start.
  private static let ampleTasks: UInt64 = 512

  /// Why the program cannot run here; nil: it can.
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

  /// A limit; nil: there is none.
  private static func limit(of number: Int64) -> UInt64? { number < 0 ? nil : UInt64(number) }

  /// How much address space the process takes, in bytes.
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
