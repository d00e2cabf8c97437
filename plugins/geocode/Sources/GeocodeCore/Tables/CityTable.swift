/// The larger city that a place is part of or near. Most places have none.
struct CityTable: Sendable {
  private static let bits = UInt64.bitWidth
  private static let part: UInt16 = 0x8000

  /// One bit per place, set if the place is part of a larger city or near one.
  private let marks: MappedArray<UInt64>
  /// The number of bits set in all words before each word.
  private let counts: MappedArray<UInt32>
  /// The city's number for each set bit. The highest bit is set if the place is part of the city.
  private let cityOfPlace: MappedArray<UInt16>
  /// The row of each city in the table of places.
  private let cities: MappedArray<UInt32>

  init(_ index: TableIndex, placeCount: Int) throws(TableError) {
    let words = (placeCount + Self.bits - 1) / Self.bits
    marks = try index.array(.cityMarks, of: UInt64.self, count: words)
    counts = try index.array(.cityCounts, of: UInt32.self, count: words)
    cityOfPlace = try index.array(.cityOfPlace, of: UInt16.self)
    cities = try index.array(.cities, of: UInt32.self)
  }

  /// Returns the larger city of a place, or nil if it has none. `isPart` is true if the place is part of the city.
  @inline(__always)
  func city(ofPlace place: Int) -> (place: Int, isPart: Bool)? {
    let (word, bit) = (place / Self.bits, UInt64(place % Self.bits))
    let marked = marks[word]
    guard marked >> bit & 1 == 1 else { return nil }
    let before = (marked & (1 << bit - 1)).nonzeroBitCount
    let value = cityOfPlace[Int(counts[word]) + before]
    return (Int(cities[Int(value & ~Self.part)]), value & Self.part != 0)
  }
}
