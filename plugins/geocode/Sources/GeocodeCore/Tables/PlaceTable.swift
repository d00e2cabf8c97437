/// The named places. A place's number is its row, and the rows are in k-d order.
///
/// The names are from `places.tsv`, the numbers from the index.
struct PlaceTable: Sendable {
  private let rows: TextTable
  /// Three numbers per place, from the highest bit: latitude + 90° in 21 bits and longitude + 180° in 22 bits, both in
  /// steps of 0.0001°, and the population in 21 bits.
  private let numbers: MappedArray<UInt64>
  /// The numbers and populations of places whose population does not fit into 21 bits, sorted by number.
  private let large: MappedArray<SIMD2<UInt32>>
  private static let populationMask: UInt64 = 1 << 21 - 1
  /// The index contains the start of every eighth row.
  private static let rowStep = 8

  init(_ file: TableFile, _ index: TableIndex) throws(TableError) {
    rows = try TextTable(file, index, rows: .placeRows, every: Self.rowStep, columns: ["name", "zh", "others"])
    numbers = try index.array(.placeNumbers, of: UInt64.self)
    large = try index.array(.largePlaces, of: SIMD2<UInt32>.self)
    guard rows.startCount == (numbers.count + Self.rowStep - 1) / Self.rowStep else {
      throw .corrupt(file: file.name, line: nil, problem: "expected \(numbers.count) places, as index.bin has")
    }
  }

  var count: Int { numbers.count }

  /// Returns the latitude and longitude in steps of 0.0001°.
  @inline(__always)
  func position(_ number: Int) -> SIMD2<Int32> {
    let packed = numbers[number]
    return SIMD2(Int32(packed >> 43) - 900_000, Int32(packed >> 21 & 0x3F_FFFF) - 1_800_000)
  }

  /// Returns the number of inhabitants.
  @inline(__always)
  func population(_ number: Int) -> UInt32 {
    let population = numbers[number] & Self.populationMask
    return population == Self.populationMask ? largePopulation(number) : UInt32(population)
  }

  private func largePopulation(_ number: Int) -> UInt32 {
    large[(0..<large.count).partitionPoint { large[$0].x >= number }].y
  }

  /// Returns the bytes of a name. Field 0 is the English name, 1 the Chinese one, and higher fields are other
  /// spellings. The file stores those in one field, separated by bars.
  func searchable(_ number: Int, field: Int) -> UnsafeRawBufferPointer {
    field < 2 ? rows.bytes(number, field: field) : rows.bytes(number, field: 2, part: field - 2)
  }

  /// Returns the English name, or an empty string if the sources have none.
  func name(_ number: Int) -> String { rows.text(number, field: 0) }
  /// Returns the Chinese name, or an empty string if the sources have none.
  func chineseName(_ number: Int) -> String { rows.text(number, field: 1) }
}
