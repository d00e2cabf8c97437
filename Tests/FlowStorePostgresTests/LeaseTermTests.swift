#if Network
  import Testing

  @testable import FlowStorePostgres

  struct `The lease of a run` {
    @Test func `with a term of 20 s, the lease of a run counts as held until 10 s after the last renewal was sent`() {
      let start = ContinuousClock.now
      var term = LeaseTerm(length: .seconds(20), sentAt: start)
      #expect(term.isSure(at: start + .seconds(9.999)) && !term.isSure(at: start + .seconds(10)))
      // A renewal counts from the time it was sent, not from the time it was answered.
      term.sentAt = start + .seconds(6)
      #expect(term.isSure(at: start + .seconds(15.999)) && !term.isSure(at: start + .seconds(16)))
    }
  }
#endif
