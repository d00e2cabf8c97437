/// The sequence number that a zone had reached on each day, from which it derives the deletions older than 90 days.
///
/// A day has passed when any clock has advanced by a day. Each clock is compared only with its own earlier time, so a
/// clock that is wrong by a year does not age anything.
package struct ZoneAges: Hashable, Sendable {
  struct Note: Hashable, Sendable {
    var day: Int64
    var sequence: Int64
  }

  /// The minimum number of days that a deletion is kept, unless its collection is full.
  package static let keptDays = RecordLimits.silentDays
  package static let dayMilliseconds: Int64 = 86_400_000
  /// The maximum number of clocks observed per day.
  private static let clocks = 128
  private static let format: UInt8 = 1
  private static let mostNotes = 1 << 10

  /// The number of days that have passed since the first observation.
  private var day: Int64 = 0
  /// The notes, oldest first.
  private(set) var notes: [Note] = []
  /// The time in milliseconds when each clock was first observed on this day.
  private var first: [String: Int64] = [:]

  /// Creates the ages of a zone for which no day has passed.
  package init() {}

  /// Records that the zone had reached a sequence number when a clock showed this time. The clock may have been
  /// adjusted, so it advances the count of days by at most `mostDays`, which is above 1 only for a synchronized clock.
  ///
  /// Returns the sequence number up to which deletions are old enough to be forgotten, or nil if none are or no day has
  /// passed.
  package mutating func note(
    _ sequence: Int64, by clock: String = "", atMilliseconds now: Int64, mostDays: Int64 = 1
  ) -> Int64? {
    guard let begin = first[clock], begin <= now else {
      if first.count < Self.clocks || first[clock] != nil { first[clock] = now }
      return nil
    }
    let shown = (now - begin) / Self.dayMilliseconds
    if shown < 1 { return nil }
    let days = min(shown, mostDays)
    day += days
    first = [clock: shown > mostDays ? now : begin + days * Self.dayMilliseconds]
    notes.append(Note(day: day, sequence: sequence))
    // A note may have been made late in its day.
    guard let old = notes.lastIndex(where: { $0.day < day - Self.keptDays }) else { return nil }
    notes.removeFirst(old)
    return notes[0].sequence
  }

  /// The recorded days as compact bytes.
  package func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte(Self.format)
    packer.signed(day)
    packer.unsigned(UInt64(notes.count))
    for note in notes {
      packer.signed(note.day)
      packer.signed(note.sequence)
    }
    packer.unsigned(UInt64(first.count))
    for (clock, time) in first.sorted(by: { $0.key < $1.key }) {
      packer.text(clock)
      packer.signed(time)
    }
    return packer.bytes
  }

  /// Reads the bytes written by `packed()`.
  package init(packed bytes: [UInt8]) throws(PackingError) {
    var reader = Unpacker(bytes)
    let format = try reader.byte("the format of the days")
    guard format == Self.format else { throw .unsupportedFormat(found: format, known: Self.format) }
    day = try reader.signed("the day")
    for _ in 0..<(try reader.count("the number of notes", limit: Self.mostNotes)) {
      notes.append(
        Note(day: try reader.signed("the day of a note"), sequence: try reader.signed("the number of a note")))
    }
    for _ in 0..<(try reader.count("the number of clocks", limit: Self.clocks)) {
      let clock = try reader.text("a clock", limit: DeviceID.maximumLength)
      first[clock] = try reader.signed("the time of a clock")
    }
  }
}
