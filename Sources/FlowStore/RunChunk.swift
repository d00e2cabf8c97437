/// A piece of a run's journal. Stores do not interpret its body.
///
/// The format: four bytes of magic number and version, four bytes of CRC-32C checksum of the rest, the kind, both times
/// and the body.
package struct RunChunk: Sendable, Hashable {
  package var kind: Kind
  /// The time at which the chunk was created, in milliseconds since 1970.
  package var wallMilliseconds: Int
  /// The time at which the chunk was created, in nanoseconds from the start of the run.
  package var runNanoseconds: Int
  /// The content, in the format of its kind.
  package var body: [UInt8]

  package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// Journal entries of the run, and outputs of its steps.
    case entries = 1
    /// Lines that steps have printed.
    case log = 2
    /// A resume, with the entries that it has kept.
    case resume = 3
    /// The data about the start of the run, written again if it changes after the run was created.
    case header = 4
    /// All processes that have executed the run, as JSON. The last chunk of this kind is valid.
    case epochs = 5
  }

  /// The reason why a chunk cannot be read.
  package enum ChunkProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case damaged
    /// The chunk was written by a newer version of flowrun.
    case newer(version: Int)

    package var description: String {
      switch self {
      case .damaged: "a piece of its journal is damaged"
      case .newer(let version): "its journal has format \(version), and this flowrun reads up to \(RunChunk.version)"
      }
    }
  }

  /// The version of the format that this program writes.
  package static let version = 1
  private static let magic: [UInt8] = [0x46, 0x52, 0x4A]

  package init(_ kind: Kind, wallMilliseconds: Int, runNanoseconds: Int, body: [UInt8]) {
    self.kind = kind
    self.wallMilliseconds = wallMilliseconds
    self.runNanoseconds = runNanoseconds
    self.body = body
  }

  /// The chunk in the format in which stores keep it.
  package var bytes: [UInt8] {
    var head = ByteWriter()
    head.add(byte: kind.rawValue)
    head.add(signed: wallMilliseconds)
    head.add(signed: runNanoseconds)
    let checksum = Checksum.of(body, behind: Checksum.of(head.bytes))
    var all = Self.magic
    all.reserveCapacity(8 + head.bytes.count + body.count)
    all.append(UInt8(Self.version))
    withUnsafeBytes(of: checksum.littleEndian) { all += $0 }
    all += head.bytes
    all += body
    return all
  }

  /// Reads a chunk. Throws if any bit has changed, or if a newer version of flowrun wrote the chunk.
  package init(_ bytes: [UInt8]) throws(ChunkProblem) {
    guard bytes.count > 8, bytes[..<3] == Self.magic[...], bytes[3] > 0 else { throw .damaged }
    guard bytes[3] <= Self.version else { throw .newer(version: Int(bytes[3])) }
    let stored = bytes[4..<8].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard Checksum.of(bytes[8...]) == stored else { throw .damaged }
    var reader = ByteReader(bytes, from: 8)
    do throws(ByteReader.ByteProblem) {
      guard let kind = Kind(rawValue: try reader.byte()) else { throw reader.problem("a kind of chunk") }
      let wall = try reader.signed()
      let run = try reader.signed()
      self.init(kind, wallMilliseconds: wall, runNanoseconds: run, body: Array(bytes[reader.position...]))
    } catch {
      throw .damaged
    }
  }
}
