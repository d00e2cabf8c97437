/// A piece of a run's journal as it is in a store, which looks into none: what kind it is, when it was written, its bytes.
///
/// Four bytes magic and version, four of CRC-32C over all that follow, the kind, both times, the body.
public struct RunChunk: Sendable, Hashable {
  /// What the body holds.
  public var kind: Kind
  /// Milliseconds since 1970 at which it was made.
  public var wallMilliseconds: Int
  /// Nanoseconds from the start of the run at which it was made.
  public var runNanoseconds: Int
  /// What only who wrote it can read.
  public var body: [UInt8]

  /// What a chunk may hold.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// The result of the run, followed by its outputs.
    case entries = 1
    /// Lines that steps wrote.
    case log = 2
    /// A resume: the new epoch, and what it discards.
    case resume = 3
    /// What the run was begun with, where that was not known when it began.
    case header = 4
    /// Every holder that the run has had, as JSON; the last one counts.
    case epochs = 5
  }

  /// A chunk that cannot be read.
  public enum ChunkProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case damaged
    /// Written by a newer flowrun.
    case newer(version: Int)

    /// What is wrong.
    public var description: String {
      switch self {
      case .damaged: "a piece of its journal is damaged"
      case .newer(let version): "its journal has format \(version), and this flowrun reads up to \(RunChunk.version)"
      }
    }
  }

  /// The format that is written.
  public static let version = 1
  private static let magic: [UInt8] = [0x46, 0x52, 0x4A]

  /// A chunk.
  public init(_ kind: Kind, wallMilliseconds: Int, runNanoseconds: Int, body: [UInt8]) {
    self.kind = kind
    self.wallMilliseconds = wallMilliseconds
    self.runNanoseconds = runNanoseconds
    self.body = body
  }

  /// As it is in a store.
  public var bytes: [UInt8] {
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

  /// Reads one; throws when a bit of it has changed.
  public init(_ bytes: [UInt8]) throws(ChunkProblem) {
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
