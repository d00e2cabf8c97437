import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns SIGINT and SIGTERM into calls, for programs that run workflows from a terminal.
public final class InterruptWatch: Sendable {
  private let queue = DispatchQueue(label: "flowrun.signals", qos: .userInteractive)
  /// Dispatch sources may be used from any thread; these are set once, here and in `deinit` alone.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  /// Watches until it is released; `handler` gets the signal's number and how many came before it.
  public init(_ handler: @escaping @Sendable (_ signal: Int32, _ earlier: Int) -> Void) {
    let counter = Counter()
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { @Sendable in handler(number, counter.next()) }
      source.resume()
      sources.append(source)
    }
    self.sources = sources
  }

  deinit {
    for source in sources { source.cancel() }
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
      count.withLock { count in
        count += 1
        return count - 1
      }
    }
  }
}
