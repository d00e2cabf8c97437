import SyncCore
import SyncEngine
import Testing

/// Incarnations, which distinguish a store from an old copy of it (V23).
struct ZoneIncarnationsTests {
  @Test func `a cursor is valid up to the end of its incarnation`() {
    var incarnations = ZoneIncarnations([.init(generation: 7, from: 0)])
    #expect(incarnations.holds(Cursor(generation: 7, sequence: 50), last: 50))
    #expect(!incarnations.holds(Cursor(generation: 7, sequence: 51), last: 50))
    #expect(!incarnations.holds(Cursor(generation: 8, sequence: 1), last: 50))
    incarnations.begin(generation: 9, from: 50)
    #expect(incarnations.holds(Cursor(generation: 7, sequence: 50), last: 95))
    #expect(!incarnations.holds(Cursor(generation: 7, sequence: 80), last: 95))
    #expect(incarnations.holds(Cursor(generation: 9, sequence: 95), last: 95))
  }

  @Test func `the oldest incarnation of a zone is dropped when there are too many`() {
    var incarnations = ZoneIncarnations([.init(generation: 0, from: 0)])
    for incarnation in 1..<ZoneIncarnations.limit {
      incarnations.begin(generation: UInt64(incarnation), from: Int64(incarnation))
    }
    #expect(incarnations.holds(Cursor(generation: 0, sequence: 0), last: 5000))
    incarnations.begin(generation: 5000, from: 5000)
    #expect(!incarnations.holds(Cursor(generation: 0, sequence: 0), last: 5000))
    #expect(incarnations.holds(Cursor(generation: 1, sequence: 1), last: 5000))
  }
}
