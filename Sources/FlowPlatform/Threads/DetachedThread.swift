import CFlowPlatform
import Synchronization

/// Threads of their own for what waits, so that no thread of a pool has to.
package enum DetachedThread {
  fileprivate final class Work {
    private let name: String?
    private let body: @Sendable () -> Void

    init(_ name: String?, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }

    func run() {
      if let name { flow_name_thread(String(name.prefix(15))) }
      body()
    }
  }

  /// What surrounds every start. In a struct, because a closure that is read out of a generic value by itself is wrapped
  /// again each time, and called through all of these wrappers.
  private struct Surrounding: Sendable {
    var start: @Sendable (() -> CInt) -> CInt
  }

  private static let surrounding = Mutex(Surrounding { $0() })

  /// Has every start of a thread from now on made by `surrounding`, which returns what the given function returns. A
  /// program that handles signals keeps them away from these threads with it.
  package static func surroundStarts(with surrounding: @escaping @Sendable (() -> CInt) -> CInt) {
    self.surrounding.withLock { $0.start = surrounding }
  }

  /// Runs `body` on a thread of its own, under a name that debuggers show; throws when the system gives none.
  package static func start(name: String? = nil, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // Proof of safety: one reference is retained here, which `runWork` takes over, or which is released where no thread starts.
    let work = Unmanaged.passRetained(Work(name, body))
    let surrounding = surrounding.withLock { $0 }
    let failure = surrounding.start { begin(work.toOpaque()) }
    if failure != 0 {
      work.release()
      throw SystemError("cannot start a thread", failure)
    }
  }

  /// Runs `body` on a thread of its own and gives what it returns, without holding the caller's; throws when the system
  /// gives no thread.
  package static func run<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer
  ) async throws(SystemError) -> Answer {
    let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Answer, SystemError>, _>) in
      do throws(SystemError) {
        try start { continuation.resume(returning: .success(body())) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    return try answer.get()
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
}

#if canImport(Darwin)
  private func runWork(_ work: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    // Proof of safety: `work` is the one reference that `start` retained, and this function runs once for it.
    Unmanaged<DetachedThread.Work>.fromOpaque(work).takeRetainedValue().run()
    return nil
  }
#else
  private func runWork(_ work: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // Proof of safety: `work` is the one reference that `start` retained, and this function runs once for it.
    if let work { Unmanaged<DetachedThread.Work>.fromOpaque(work).takeRetainedValue().run() }
    return nil
  }
#endif
