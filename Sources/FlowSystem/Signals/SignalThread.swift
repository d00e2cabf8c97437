import CFlowProcess

/// The signals that ask this process to end, acted upon by a thread of its own.
///
/// A handler passes their numbers on through a pipe, so that none is lost from the moment it is in place and no step can
/// take the thread. (`sigwait` would need them blocked in every thread, and libdispatch's main thread unblocks them all.)
package enum SignalThread {
  /// Those that ask a process to end and that a program may take.
  package static let ending: [CInt] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Calls `handler` on a thread of its own with each of the signals ``ending`` that comes from now on.
  ///
  /// One that was ignored when the process was started stays so: for it to outlive its terminal (`nohup`), or because a shell
  /// started it in the background (`sh -c 'flowrun w.yaml &'`), where Ctrl-C is meant for others. A pipe without
  /// a reader and a file that is too large are errors from now on, and no end of the process. To be called once, before
  /// anything else; throws when the system has no thread or no pipe, and the signals then end the process as always.
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
    // The handler writes for as long as the process lives.
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

  /// Starts a thread that no signal for the process interrupts: the main thread takes it.
  private static func holdingSignals(_ start: () -> CInt) -> CInt {
    var before = sigset_t()
    flow_hold_signals(&before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return start()
  }

  /// Makes writing to a pipe without a reader an error instead of the end of this process, unless somebody handles that.
  package static func ignoreBrokenPipes() { flow_ignore(SIGPIPE) }
}

extension Descriptor.Pipe {
  /// Leaves both ends open for as long as the process lives.
  fileprivate consuming func leave() {
    reading.leave()
    writing.leave()
  }
}
