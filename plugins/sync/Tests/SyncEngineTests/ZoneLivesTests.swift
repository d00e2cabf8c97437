import SyncCore
import SyncEngine
import Testing

/// What tells a store from an old copy of itself (V23).
@Suite struct ZoneLivesTests {
  @Test func `a place counts up to the end of the life it was given in`() {
    var lives = ZoneLives([.init(generation: 7, from: 0)])
    #expect(lives.holds(Cursor(generation: 7, sequence: 50), last: 50))
    #expect(!lives.holds(Cursor(generation: 7, sequence: 51), last: 50))
    #expect(!lives.holds(Cursor(generation: 8, sequence: 1), last: 50))
    lives.begin(generation: 9, from: 50)
    #expect(lives.holds(Cursor(generation: 7, sequence: 50), last: 95))
    #expect(!lives.holds(Cursor(generation: 7, sequence: 80), last: 95))
    #expect(lives.holds(Cursor(generation: 9, sequence: 95), last: 95))
  }

  @Test func `the oldest of too many lives is forgotten`() {
    var lives = ZoneLives([.init(generation: 0, from: 0)])
    for life in 1..<ZoneLives.limit { lives.begin(generation: UInt64(life), from: Int64(life)) }
    #expect(lives.holds(Cursor(generation: 0, sequence: 0), last: 5000))
    lives.begin(generation: 5000, from: 5000)
    #expect(!lives.holds(Cursor(generation: 0, sequence: 0), last: 5000))
    #expect(lives.holds(Cursor(generation: 1, sequence: 1), last: 5000))
  }
}
