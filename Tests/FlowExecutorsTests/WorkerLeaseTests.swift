import Testing

@testable import FlowExecutors
@testable import FlowPluginHost

struct WorkerLeaseTests {
  private let start = ContinuousClock.now
  private let rhythm = PulseRhythm()

  @Test func `a worker that receives no pings ends after 10 s`() {
    #expect(WorkerLease(silence: rhythm.guardSilence, at: start).end == start + .seconds(10))
  }

  @Test func `a worker that is pinged every 2 s ends 8 s after the last ping`() {
    var lease = WorkerLease(silence: rhythm.guardSilence, at: start)
    for second in stride(from: 0, through: 20, by: 2) { lease.notePing(at: start + .seconds(second)) }
    #expect(lease.end == start + .seconds(28))
  }

  /// A worker must end before the host considers it lost, however long pings and responses are delayed.
  @Test func `a worker ends before it counts as lost, even if pings arrive late`() {
    for delay in stride(from: 0.0, through: 20, by: 0.5) {
      var pulse = SessionPulse(rhythm, at: start)
      var lease = WorkerLease(silence: rhythm.guardSilence, at: start)
      pulse.notePing(at: start, isSent: true)
      lease.notePing(at: start)
      pulse.noteAnswer(at: start)
      // The second ping arrives late, but its response arrives without a delay.
      let sent = start + rhythm.interval
      pulse.notePing(at: sent, isSent: true)
      if sent + .seconds(delay) < lease.end { lease.notePing(at: sent + .seconds(delay)) }
      #expect(!pulse.isLost(at: lease.end), "\(delay)")
    }
  }
}
