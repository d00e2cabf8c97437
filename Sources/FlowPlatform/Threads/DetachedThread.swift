import CFlowPlatform
import Synchronization

/// Starts threads for blocking work, so that no thread of a pool has to wait for it.
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

  /// The function that surrounds every start of a thread. It is wrapped in a struct for speed: reading a closure from a
  /// generic value adds a wrapper each time, and each call passes through all of these wrappers.
  private struct Surrounding: Sendable {
    var start: @Sendable (() -> CInt) -> CInt
  }

  /// An object, for the reason given at ``SharedMutex``, but not a generic one, whose type the runtime would create
  /// during the launch of each app.
  private final class SharedSurrounding: Sendable {
    let mutex = Mutex(Surrounding { $0() })
  }

  private static let surrounding = SharedSurrounding()

  /// Sets a function that surrounds every later start of a thread. It must call its argument and return the result. A
  /// program that handles signals uses it to block signals in these threads.
  package static func surroundStarts(with surrounding: @escaping @Sendable (() -> CInt) -> CInt) {
    self.surrounding.mutex.withLock { $0.start = surrounding }
  }

  /// Runs `body` on a new thread. Debuggers show the name. Throws an error if the system cannot create a thread.
  package static func start(name: String? = nil, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // Proof of safety: one reference is retained here. It is taken over by `runWork`, or released below if no thread
    // starts.
    let work = Unmanaged.passRetained(Work(name, body))
    let surrounding = surrounding.mutex.withLock { $0 }
    let failure = surrounding.start { begin(work.toOpaque()) }
    if failure != 0 {
      work.release()
      throw SystemError("cannot start a thread", failure)
    }
  }

  /// Runs `body` on a new thread and returns its result without blocking the caller's thread. Throws an error if the
  /// system cannot create a thread.
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
