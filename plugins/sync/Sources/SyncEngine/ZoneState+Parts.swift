import FlowBytes
import SyncCore

/// A zone split into parts, for a database of named records: a head with the zone's position, one part per record, and
/// blocks with the names of accepted acts. Only the head changes with every commit; other parts change only if their
/// content does.
extension ZoneState {
  package static let headName = "head"

  private static let format: UInt8 = 1
  private static let (headKind, recordKind, actsKind): (UInt8, UInt8, UInt8) = (1, 2, 3)
  /// The number of blocks with names of acts. It is small enough that a commit of 200 changes by 200 devices modifies
  /// fewer than 400 parts, the limit in CloudKit.
  private static let blocks: UInt32 = 128
  /// The number of commits whose tags the head contains. A device with an older cursor fetches the whole zone.
  private static let keptTags = 4096

  /// Returns the name of the part that contains a record.
  package static func name(of key: RecordKey) -> String { "r-" + hash(key.type.utf8, key.name.utf8) }

  /// Returns the parts that differ from an earlier state of this zone, except the head, and the names of removed parts.
  package func parts(changedSince earlier: ZoneState) -> (saved: [(name: String, bytes: [UInt8])], removed: [String]) {
    var saved: [(name: String, bytes: [UInt8])] = []
    for record in records.values.sorted(by: { $0.sequence < $1.sequence }) where record.sequence > earlier.sequence {
      saved.append((Self.name(of: record.key), Self.packed(record)))
    }
    let changed = Set(acts.lazy.filter { earlier.acts[$0] != $1 }.map { Self.block(of: $0.key) })
    var members: [UInt32: [ActName: [UInt32]]] = [:]
    if !changed.isEmpty {
      for (name, checks) in acts {
        let block = Self.block(of: name)
        if changed.contains(block) { members[block, default: [:]][name] = checks }
      }
    }
    saved += members.sorted { $0.key < $1.key }.map { ("a-\($0.key)", Self.packed($0.value)) }
    let removed = dropped == earlier.dropped ? [] : earlier.records.keys.filter { records[$0] == nil }.map(Self.name)
    return (saved, removed.sorted())
  }

  /// The head: everything in the zone that no other part contains.
  package var packedHead: [UInt8] {
    var packer = Packer()
    packer.byte(Self.format)
    packer.byte(Self.headKind)
    packer.unsigned(generation)
    packer.signed(sequence)
    packer.count(incarnations.incarnations.count)
    for incarnation in incarnations.incarnations {
      packer.unsigned(incarnation.generation)
      packer.signed(incarnation.from)
    }
    let kept = tags.commits.suffix(Self.keptTags)
    packer.count(kept.count)
    for commit in kept {
      packer.signed(commit.last)
      packer.unsigned(commit.tag)
    }
    packer.count(givenBack.count)
    for (device, number) in givenBack.sorted(by: { $0.key < $1.key }) {
      packer.text(device.name)
      packer.signed(number)
    }
    packer.signed(dropped.sequence)
    packer.signed(dropped.incarnation)
    packer.data(ages.packed())
    packer.seal()
    return packer.bytes
  }

  /// Reads a part. Returns the key of the record in it, or nil for other parts.
  package mutating func take(_ bytes: [UInt8]) throws(PackingError) -> RecordKey? {
    var reader = try Unpacker(bytes, sealedAs: Self.format)
    switch try reader.byte("the kind of a part") {
    case Self.headKind: try takeHead(&reader)
    case Self.recordKind: return try takeRecord(&reader)
    case Self.actsKind: try takeActs(&reader)
    default: throw .malformed(at: 1, reading: "the kind of a part", "is not known")
    }
    return nil
  }

  /// Removes a record after its part has been removed.
  package mutating func remove(_ key: RecordKey) {
    records[key] = nil
    if key.type == ZoneRules.type { rules[key.name] = nil }
  }

  // MARK: One part

  private mutating func takeHead(_ reader: inout Unpacker) throws(PackingError) {
    let largest = 1 << 16
    generation = try reader.unsigned("the generation of a zone")
    sequence = try reader.signed("the number of a zone")
    var known: [ZoneIncarnations.Incarnation] = []
    for _ in 0..<(try reader.count("the number of incarnations", limit: largest)) {
      known.append(
        .init(
          generation: try reader.unsigned("the generation of an incarnation"),
          from: try reader.signed("the begin of an incarnation")))
    }
    incarnations = ZoneIncarnations(known)
    tags = CommitTags()
    for _ in 0..<(try reader.count("the number of tags", limit: largest)) {
      tags.note(try reader.signed("the number of a tag"), tag: try reader.unsigned("a tag"))
    }
    givenBack = [:]
    for _ in 0..<(try reader.count("the number of devices", limit: largest)) {
      givenBack[try Self.device(&reader)] = try reader.signed("the number of a device")
    }
    dropped = Dropped(
      sequence: try reader.signed("the last forgotten number"),
      incarnation: try reader.signed("the last forgotten incarnation"))
    ages = try ZoneAges(packed: try reader.data("the days", limit: 1 << 20))
  }

  private static func packed(_ record: SyncRecord) -> [UInt8] {
    var packer = Packer()
    packer.byte(format)
    packer.byte(recordKind)
    packer.text(record.key.type)
    packer.text(record.key.name)
    packer.signed(record.version)
    packer.signed(record.sequence)
    packer.data(record.cell.packed())
    packer.seal()
    return packer.bytes
  }

  private mutating func takeRecord(_ reader: inout Unpacker) throws(PackingError) -> RecordKey {
    let limit = 1 << 12
    let key = RecordKey(
      type: try reader.text("a record's collection", limit: limit),
      name: try reader.text("a record's key", limit: limit))
    let (version, sequence) = (try reader.signed("a version"), try reader.signed("a record's number"))
    let cell = try Cell(packed: try reader.data("a record", limit: 1 << 24))
    records[key] = SyncRecord(key: key, version: version, sequence: sequence, cell: cell)
    if key.type == ZoneRules.type { rules[key.name] = ZoneRules(collection: key.name, cell: cell) }
    return key
  }

  private mutating func takeActs(_ reader: inout Unpacker) throws(PackingError) {
    let largest = 1 << 24
    for _ in 0..<(try reader.count("the number of devices", limit: largest)) {
      let device = try Self.device(&reader)
      let incarnation = try reader.unsigned("the incarnation of acts")
      for _ in 0..<(try reader.count("the number of acts", limit: largest)) {
        let number = try reader.signed("the number of an act")
        var checks: [UInt32] = []
        for _ in 0..<(try reader.count("the number of checksums", limit: largest)) {
          checks.append(UInt32(try reader.number("a checksum", in: 0...Int64(UInt32.max))))
        }
        acts[ActName(dot: Dot(device: device, number: number), incarnation: incarnation)] = checks
      }
    }
  }

  private static func block(of name: ActName) -> UInt32 {
    var hash = FNV1a32()
    hash.add(name.dot.device.name.utf8)
    hash.add(name.incarnation)
    hash.add(UInt64(name.dot.number / 512))
    return hash.value % blocks
  }

  private struct Author: Hashable, Comparable {
    var device: DeviceID
    var incarnation: UInt64

    static func < (left: Author, right: Author) -> Bool {
      (left.device, left.incarnation) < (right.device, right.incarnation)
    }
  }

  private static func packed(_ acts: [ActName: [UInt32]]) -> [UInt8] {
    let authors = Dictionary(grouping: acts) { Author(device: $0.key.dot.device, incarnation: $0.key.incarnation) }
    var packer = Packer()
    packer.byte(format)
    packer.byte(actsKind)
    packer.count(authors.count)
    for (author, acts) in authors.sorted(by: { $0.key < $1.key }) {
      packer.text(author.device.name)
      packer.unsigned(author.incarnation)
      packer.count(acts.count)
      for (name, checks) in acts.sorted(by: { $0.key.dot.number < $1.key.dot.number }) {
        packer.signed(name.dot.number)
        packer.count(checks.count)
        for check in checks { packer.unsigned(UInt64(check)) }
      }
    }
    packer.seal()
    return packer.bytes
  }

  private static func device(_ reader: inout Unpacker) throws(PackingError) -> DeviceID {
    let start = reader.offset
    guard let device = DeviceID(try reader.text("a device", limit: DeviceID.maximumLength)) else {
      throw .malformed(at: start, reading: "a device", "is not the name of one")
    }
    return device
  }

  /// Hashes a record's key to 32 hexadecimal digits. Keys may be long, and some databases restrict the characters in
  /// names.
  private static func hash(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>) -> String {
    var hash = FNV1a128()
    hash.add(first)
    hash.add(0 as UInt8)
    hash.add(second)
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
