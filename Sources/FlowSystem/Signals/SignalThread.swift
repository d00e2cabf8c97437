import CFlowProcess

/// The signals that ask this process to end, handled on a separate thread.
///
/// A signal handler writes their numbers to a pipe, so that none is lost once it is installed and no step can occupy
/// the thread. (`sigwait` would require them to be blocked in every thread, and libdispatch's main thread unblocks them
/// all.)
package enum SignalThread {
  /// The signals that ask a process to end and can be handled.
  package static let ending: [CInt] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Calls `handler` on a separate thread with each of the signals ``ending`` from now on.
  ///
  /// A signal that was ignored when the process started stays ignored: the process should outlive its terminal
  /// (`nohup`), or a shell started it in the background (`sh -c 'flowrun w.yaml &'`), where Ctrl-C is meant for others.
  /// Writing to a pipe without a reader, or beyond the file size limit, becomes an error instead of ending the process.
  /// Must be called once, before anything else. Throws an error if the system cannot create a thread or a pipe; the
  /// signals then end the process as usual.
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
    // The handler writes to the pipe until the process ends.
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

  /// Starts a thread that blocks signals sent to the process, so that the main thread receives them.
  private static func holdingSignals(_ start: () -> CInt) -> CInt {
    var before = sigset_t()
    flow_hold_signals(&before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return start()
  }

  /// Makes writing to a pipe without a reader an error instead of the end of this process, unless SIGPIPE is handled.
  package static func ignoreBrokenPipes() { flow_ignore(SIGPIPE) }
}

extension Descriptor.Pipe {
  /// Leaves both ends open until the process ends.
  fileprivate consuming func leave() {
    reading.leave()
    writing.leave()
  }
}
