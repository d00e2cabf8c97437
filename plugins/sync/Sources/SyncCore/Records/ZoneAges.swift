/// How far a zone had come on which day, so that it forgets each deletion 90 days later.
///
/// A day has gone by when one clock shows it: what counts is how much later a clock is than it was itself, so a clock that is
/// wrong by a year ages nothing.
public struct ZoneAges: Hashable, Sendable {
  /// The number that a zone had reached on a day.
  struct Note: Hashable, Sendable {
    var day: Int64
    var sequence: Int64
  }

  /// How many days a deletion is kept at least.
  public static let keptDays = RecordLimits.silentDays
  /// A day in milliseconds.
  public static let dayMilliseconds: Int64 = 86_400_000
  /// The most clocks that are watched in a day.
  private static let clocks = 128
  private static let format: UInt8 = 1
  private static let mostNotes = 1 << 10

  /// The days that have gone by.
  private var day: Int64 = 0
  /// The oldest first.
  private(set) var notes: [Note] = []
  /// What each clock showed first on this day, in milliseconds.
  private var first: [String: Int64] = [:]

  /// No day has gone by.
  public init() {}

  /// Notes that the zone has come so far when this clock showed this time. A clock that may have been set shows a day at a time:
  /// `mostDays` is more where it is one that is kept right.
  ///
  /// Gives the number up to which deletions are old enough to be forgotten; nil where none are, and where no day has gone by.
  public mutating func note(
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
    // A note may have been made late on its day.
    guard let old = notes.lastIndex(where: { $0.day < day - Self.keptDays }) else { return nil }
    notes.removeFirst(old)
    return notes[0].sequence
  }

  /// The days as compact bytes.
  public func packed() -> [UInt8] {
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

  /// Reads packed bytes.
  public init(packed bytes: [UInt8]) throws(PackingError) {
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
