#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Threads that wait for children, so that no thread of the concurrency pool has to.
enum DetachedThread {
  fileprivate final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread of its own.
  static func start(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    let failure = begin(work)
    precondition(failure == 0, "the system refuses another thread: \(String(cString: strerror(failure)))")
  }

  private static func begin(_ work: UnsafeMutableRawPointer) -> CInt {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    return pthread_create(&thread, &attributes, runWork, work)
  }

  /// Runs `body` on a thread of its own and gives what it returns, without holding the caller's.
  static func run<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      start { continuation.resume(returning: body()) }
    }
  }
}

#if canImport(Darwin)
  private func runWork(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<DetachedThread.Work>.fromOpaque(work).takeRetainedValue().body()
    return nil
  }
#else
  private func runWork(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let work { Unmanaged<DetachedThread.Work>.fromOpaque(work).takeRetainedValue().body() }
    return nil
  }
#endif
