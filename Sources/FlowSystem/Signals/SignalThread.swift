import CFlowProcess

/// Handles the signals that ask this process to end, on a separate thread.
///
/// A signal handler writes the numbers of the signals to a pipe. Once it is installed, no signal is lost and no step
/// can occupy the thread. (`sigwait` would require that the signals are blocked in every thread, but libdispatch's main
/// thread unblocks all of them.)
package enum SignalThread {
  /// The signals that ask a process to end and can be handled.
  package static let ending: [CInt] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Starts to call `handler` on a separate thread with each signal in ``ending``.
  ///
  /// A signal that was ignored when the process started stays ignored. In that case, the process should outlive its
  /// terminal (`nohup`), or a shell has started it in the background (`sh -c 'flowrun w.yaml &'`), where Ctrl-C is
  /// meant for other processes.
  ///
  /// Writing to a pipe without a reader, or beyond the file size limit, fails with an error and no longer ends the
  /// process.
  ///
  /// This must be called once, before anything else. It throws an error if the system cannot create a thread or a pipe.
  /// The signals then end the process as usual.
  package static func start(_ handler: @escaping @Sendable (CInt) -> Void) throws(SystemError) {
    flow_ignore(SIGPIPE)
    flow_ignore(SIGXFSZ)
    DetachedThread.surroundStarts(with: holdingSignals)
    let pipe = try Descriptor.pipe()
    pipe.writing.setNonBlocking()
    let reading = pipe.reading.number
    var taken: [CInt] = []
    for number in ending where number == SIGTERM || flow_ignores(number) == 0 { taken.append(number) }
    let failure = flow_take_signals(taken, CInt(taken.count), pipe.writing.number)
    // The signal handler uses the writing end until the process ends.
    pipe.leave()
    if failure != 0 { throw SystemError("cannot handle signals", failure) }
    do throws(SystemError) {
      try DetachedThread.start {
        while true {
          var number: UInt8 = 0
          let count = read(reading, &number, 1)
          if count == 1 { handler(CInt(number)) } else if count == 0 || errno != EINTR { return }
        }
      }
    } catch {
      for number in taken { _ = signal(number, SIG_DFL) }
      throw error
    }
  }

  /// Calls `start`, which starts a thread, while signals to the process are blocked. The thread inherits the block, so
  /// the main thread receives them.
  private static func holdingSignals(_ start: () -> CInt) -> CInt {
    var before = sigset_t()
    flow_hold_signals(&before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return start()
  }

  /// Makes a write to a pipe without a reader fail with an error instead of ending this process, unless SIGPIPE is
  /// handled.
  package static func ignoreBrokenPipes() { flow_ignore(SIGPIPE) }
}

extension Descriptor.Pipe {
  /// Keeps both ends open until the process ends.
  fileprivate consuming func leave() {
    reading.leave()
    writing.leave()
  }
}
