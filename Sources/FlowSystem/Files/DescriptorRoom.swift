import CFlowProcess
import Synchronization

/// Checks whether this process may open more descriptors.
package enum DescriptorRoom {
  private static let raising = Mutex(())

  /// True if at least `reserve` descriptors can be opened above `number`. If not, raises the limit to the system's
  /// maximum and checks again; only Linux supports this. The limit of child processes does not change.
  package static func hasRoom(above number: CInt, leaving reserve: CInt) -> Bool {
    if isWithinLimit(Int(number) + Int(reserve)) { return true }
    raising.withLock { _ in _ = flow_raise_file_limit() }
    return isWithinLimit(Int(number) + Int(reserve))
  }

  private static func isWithinLimit(_ count: Int) -> Bool {
    var limit = rlimit()
    #if canImport(Glibc)
      let failed = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0
    #else
      let failed = getrlimit(RLIMIT_NOFILE, &limit) != 0
    #endif
    return failed || rlim_t(count) <= limit.rlim_cur
  }
}
