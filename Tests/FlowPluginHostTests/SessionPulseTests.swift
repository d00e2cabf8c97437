import Testing

@testable import FlowPluginHost

/// The exact times of heartbeats, computed without a clock.
struct SessionPulseTests {
  private let start = ContinuousClock.now
  private let moment = Duration.nanoseconds(1)

  @Test func `a worker counts as lost exactly 11 s after its last answer`() {
    var pulse = SessionPulse(PulseRhythm(), at: start)
    pulse.notePing(at: start, isSent: true)
    pulse.noteAnswer(at: start + .seconds(1))
    pulse.notePing(at: start + .seconds(2), isSent: true)
    #expect(!pulse.isLost(at: start + .seconds(12) - moment))
    #expect(pulse.isLost(at: start + .seconds(12)))
    #expect(pulse.nextInstant == start + .seconds(12))
  }

  @Test func `pings to a worker are sent every 2 s, one at a time`() {
    var pulse = SessionPulse(PulseRhythm(), at: start)
    #expect(pulse.isDue(at: start))
    pulse.notePing(at: start, isSent: true)
    #expect(!pulse.isDue(at: start + .seconds(10)))
    pulse.noteAnswer(at: start + .milliseconds(1))
    #expect(!pulse.isDue(at: start + .seconds(2) - moment))
    #expect(pulse.isDue(at: start + .seconds(2)))
    #expect(pulse.nextInstant == start + .seconds(2))
  }

  @Test func `a ping that cannot be sent is retried, and the worker still counts as lost after 11 s`() {
    var pulse = SessionPulse(PulseRhythm(), at: start)
    for second in stride(from: 0, through: 10, by: 2) {
      let now = start + .seconds(second)
      #expect(pulse.isDue(at: now) && !pulse.isLost(at: now))
      pulse.notePing(at: now, isSent: false)
    }
    #expect(pulse.isLost(at: start + .seconds(11)))
  }

  @Test(arguments: [1, 0.4, 0.1]) func `a guard ends its worker before the host counts it as lost`(scale: Double) {
    let rhythm = PulseRhythm(scale: scale)
    #expect(rhythm.guardSilence < rhythm.silence)
    #expect(rhythm.guardSilence > rhythm.interval * 3)
  }
}
