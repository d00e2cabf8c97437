/// The data in `index.bin`: trees, numbers, borders, the order of names and the starts of rows. The script that creates
/// the tables stores them in their final form, so that loading builds nothing.
///
/// The file begins with `flowgeo4`, the number of sections (UInt32) and a zero (UInt32). The offset and size in bytes
/// of each section follow (UInt32), then the sections, each at a multiple of 16. All numbers are little-endian.
/// `layout.py` writes the sections in the same order and describes their contents.
final class TableIndex: Sendable {
  /// The sections in the order of the file.
  enum Section: Int, CaseIterable {
    case placeRows, placeNumbers, largePlaces
    case areaRegions, areaCountries, areaZones, zoneRows
    case cityMarks, cityCounts, cityOfPlace, cities
    case regionRows, regionCountries, regionSeats, regionDigits
    case countryRows, countrySeats
    case divisionRows, divisionNumbers
    case placeLeaves, placeNodes, placePoints
    case districtLeaves, districtNodes, districtPoints
    case searchSamples, searchEntries, searchMarks, simplifiedCharacters
    case typoLengths, typoKeys, typoWeights, typoBuckets, typoNumbers
    case borderCells, borderCrossings, borderRuns, borderCorners
  }

  private static let magic: StaticString = "flowgeo4"
  private static let headerSize = 16

  private let file: TableFile

  /// Checks that the file contains every section.
  ///
  /// - Throws: `TableError.corrupt` if a section is missing or the file has another format.
  init(_ file: TableFile) throws(TableError) {
    #if _endian(big)
      #error("index.bin is read in place, in little-endian order")
    #endif
    self.file = file
    let bytes = file.bytes
    let hasMagic = Self.magic.withUTF8Buffer { bytes.count >= Self.headerSize && bytes.starts(with: $0) }
    guard hasMagic else {
      throw .corrupt(file: file.name, line: nil, problem: "the file does not begin with \(Self.magic)")
    }
    let sections = Section.allCases
    guard word(8) == sections.count, bytes.count >= Self.headerSize + 8 * sections.count else {
      throw .corrupt(file: file.name, line: nil, problem: "expected \(sections.count) sections")
    }
    for section in sections {
      let range = range(section)
      guard range.lowerBound % 16 == 0, range.upperBound <= bytes.count else {
        throw .corrupt(file: file.name, line: nil, problem: "\(section) is outside the file")
      }
    }
  }

  private func word(_ offset: Int) -> Int { Int(file.bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }

  private func range(_ section: Section) -> Range<Int> {
    let entry = Self.headerSize + 8 * section.rawValue
    let start = word(entry)
    return start..<start + word(entry + 4)
  }

  /// Returns a section as an array without copying it.
  ///
  /// - Parameter count: the required number of elements, or nil if any number is valid.
  /// - Throws: `TableError.corrupt` if the section has the wrong size.
  func array<Element: BitwiseCopyable & Sendable>(
    _ section: Section, of type: Element.Type, count: Int? = nil
  ) throws(TableError) -> MappedArray<Element> {
    let range = range(section)
    let whole = range.count / MemoryLayout<Element>.stride
    guard range.count == whole * MemoryLayout<Element>.stride, count == nil || whole == count else {
      let expected = count.map { "\($0) times " } ?? "a multiple of "
      throw .corrupt(
        file: file.name, line: nil,
        problem: "\(section) has \(range.count) bytes, expected \(expected)\(MemoryLayout<Element>.stride)")
    }
    // The mapping starts at a page boundary and each section at a multiple of 16, so the elements are aligned.
    return MappedArray(
      base: (file.bytes.baseAddress! + range.lowerBound).assumingMemoryBound(to: Element.self), count: whole)
  }
}
