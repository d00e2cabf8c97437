import FlowSystem
import Testing

@testable import FlowCLI

struct InterruptRequestsTests {
  private let start = ContinuousClock.now

  private func reactions(_ signals: (CInt, Int)...) -> [InterruptRequests.Reaction] {
    var requests = InterruptRequests()
    return signals.map { requests.take($0.0, at: start + .milliseconds($0.1)) }
  }

  @Test func `signals within half a second of the first one count as one request`() {
    #expect(reactions((SIGTERM, 0), (SIGTERM, 0), (SIGINT, 100), (SIGHUP, 499)) == [.stop, .none, .none, .none])
  }

  @Test func `a signal half a second after the first one ends the process at once`() {
    #expect(reactions((SIGINT, 0), (SIGINT, 500)) == [.stop, .endAtOnce])
    #expect(reactions((SIGINT, 0), (SIGINT, 300), (SIGINT, 600)) == [.stop, .none, .endAtOnce])
  }

  @Test func `SIGQUIT always ends the process at once`() {
    #expect(reactions((SIGQUIT, 0)) == [.endAtOnce])
    #expect(reactions((SIGINT, 0), (SIGQUIT, 10)) == [.stop, .endAtOnce])
  }

  @Test func `a later signal does not replace the first one`() {
    var requests = InterruptRequests()
    _ = requests.take(SIGTERM, at: start)
    _ = requests.take(SIGINT, at: start)
    #expect(requests.first == SIGTERM)
  }
}
