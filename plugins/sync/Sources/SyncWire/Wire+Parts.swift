import SyncCore
import SyncEngine

/// The packed parts that several messages contain.
extension Wire {
  /// The maximum size in bytes of one value, above that of any body.
  static let longest = 1 << 24

  static func pack(_ cursor: Cursor, _ packer: inout Packer) {
    packer.unsigned(cursor.generation)
    packer.unsigned(UInt64(cursor.sequence))
    packer.unsigned(cursor.tag)
  }

  static func cursor(_ reader: inout Unpacker) throws(PackingError) -> Cursor {
    Cursor(
      generation: try reader.unsigned("the generation of a cursor"), sequence: try reader.number("a cursor"),
      tag: try reader.unsigned("the tag of a cursor"))
  }

  static func pack(_ key: RecordKey, _ packer: inout Packer) {
    packer.text(key.type)
    packer.text(key.name)
  }

  static func key(_ reader: inout Unpacker) throws(PackingError) -> RecordKey {
    RecordKey(
      type: try reader.text("the type of a record", limit: longest),
      name: try reader.text("the name of a record", limit: longest))
  }

  static func pack(_ record: SyncRecord, _ packer: inout Packer) {
    pack(record.key, &packer)
    packer.unsigned(UInt64(record.version))
    packer.unsigned(UInt64(record.sequence))
    packer.data(record.cell.packed())
  }

  static func record(_ reader: inout Unpacker) throws(PackingError) -> SyncRecord {
    SyncRecord(
      key: try key(&reader), version: try reader.number("the version"), sequence: try reader.number("the sequence"),
      cell: try Cell(packed: try reader.data("the cell", limit: longest)))
  }

  static func device(_ reader: inout Unpacker) throws(PackingError) -> DeviceID {
    let offset = reader.offset
    guard let device = DeviceID(try reader.text("a device's name", limit: DeviceID.maximumLength)) else {
      throw .malformed(at: offset, reading: "a device's name", "is not a device's name")
    }
    return device
  }

  /// Decodes a list. A problem is located by the path and the index of the element.
  static func list<Element>(
    _ path: String, _ reader: inout Unpacker, _ element: (inout Unpacker) throws(PackingError) -> Element
  ) throws(WireProblem) -> [Element] {
    let count = try part(path, &reader) { reader throws(PackingError) in
      try reader.count("the length of the list", limit: 1 << 16)
    }
    var elements: [Element] = []
    for index in 0..<count {
      do throws(PackingError) {
        elements.append(try element(&reader))
      } catch {
        throw WireProblem(error, in: "\(path)[\(index)]")
      }
    }
    return elements
  }

  static func part<Read>(
    _ path: String, _ reader: inout Unpacker, _ read: (inout Unpacker) throws(PackingError) -> Read
  ) throws(WireProblem) -> Read {
    do throws(PackingError) {
      return try read(&reader)
    } catch {
      throw WireProblem(error, in: path)
    }
  }

  static func end(_ reader: Unpacker) throws(WireProblem) {
    if !reader.isAtEnd { throw WireProblem(path: "", message: "the message continues after its end") }
  }

  /// Verifies the checksum at the end of a response. Returns a reader of the bytes before it.
  static func unsealed(_ body: [UInt8]) throws(WireProblem) -> Unpacker {
    do throws(PackingError) {
      return Unpacker(try Unpacker.unsealed(body))
    } catch {
      throw WireProblem(error, in: "")
    }
  }
}
