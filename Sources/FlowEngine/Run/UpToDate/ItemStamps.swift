import FlowModel
import FlowStore
import FlowPlatform
import Synchronization

/// What the items of a step were when they last succeeded, by what distinguishes the items.
///
/// One file a step in the data folder, to which each success adds a record with a checksum. Of several records of an item the
/// last one counts. What a process that died, or a full disk, left half written is passed over.
final class ItemStamps: Sendable {
  private struct State {
    var stamps: [UInt64: StepStamp] = [:]
    /// How many records the file has.
    var records = 0
    /// The file, once something was added to it.
    var file: CInt = -1
  }

  private static let start: [UInt8] = [0xF1, 0x6F, 0x77, 0x02]
  /// The file may have this many more records than items before it is written again.
  private static let spareRecords = 1000

  private let path: String
  private let state: Mutex<State>

  /// Reads the stamps of a step, unless none will be asked for.
  init(of step: StepID, in dataFolder: String, reads: Bool) {
    path = StepStamp.path(of: step, in: dataFolder, suffix: "items")
    var state = State()
    if reads, let bytes = StepStamp.read(path) { Self.read(bytes, into: &state) }
    self.state = Mutex(state)
  }

  deinit { state.withLock { if $0.file >= 0 { close($0.file) } } }

  /// What an item was; nil: it has not succeeded here.
  subscript(item: UInt64) -> StepStamp? { state.withLock { $0.stamps[item] } }

  /// Writes down what items are now; why that cannot be done, or nil.
  func write(_ stamps: [(item: UInt64, stamp: StepStamp)]) -> String? {
    guard !stamps.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for (item, stamp) in stamps { Self.add(stamp, of: item, to: &bytes) }
    return state.withLock { state in
      if state.file < 0 {
        if let problem = StepStamp.makeFolder(of: path) { return problem }
        state.file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      }
      // One call, so that what other processes add is before or after it.
      guard state.file >= 0, bytes.withUnsafeBytes({ SystemCall.write(state.file, $0) }) == bytes.count else {
        return "\(path): \(String(cString: strerror(errno)))"
      }
      for (item, stamp) in stamps { state.stamps[item] = stamp }
      state.records += stamps.count
      return nil
    }
  }

  /// Writes the file again where most of its records do not count any more; of items that are not among `items` it keeps
  /// those that fit into as much room again.
  func tidy(keeping items: Set<UInt64>) {
    state.withLock { state in
      let others = state.stamps.keys.filter { !items.contains($0) }
      if others.count > items.count + Self.spareRecords { for item in others { state.stamps[item] = nil } }
      guard state.records > 2 * state.stamps.count + Self.spareRecords else { return }
      var bytes: [UInt8] = []
      for (item, stamp) in state.stamps { Self.add(stamp, of: item, to: &bytes) }
      guard StepStamp.replace(path, with: bytes) == nil else { return }
      state.records = state.stamps.count
      if state.file >= 0 { close(state.file) }
      state.file = -1
    }
  }

  // MARK: Records

  private static func add(_ stamp: StepStamp, of item: UInt64, to bytes: inout [UInt8]) {
    var writer = ByteWriter()
    writer.add(item)
    writer.add(stamp.definition)
    writer.add(stamp.values)
    writer.add(JSONText.bytes(of: .object(stamp.outputs)))
    for files in [stamp.inputs, stamp.products] {
      writer.add(UInt64(files.count))
      for file in files { file.write(to: &writer) }
    }
    var head = ByteWriter()
    head.add(UInt64(writer.bytes.count))
    bytes += start
    bytes += head.bytes
    bytes += writer.bytes
    withUnsafeBytes(of: Checksum.of(writer.bytes).littleEndian) { bytes += $0 }
  }

  private static func read(_ bytes: [UInt8], into state: inout State) {
    var next = 0
    while let position = bytes[next...].firstIndex(of: start[0]) {
      if let (item, stamp, end) = record(in: bytes, at: position) {
        state.stamps[item] = stamp
        state.records += 1
        next = end
      } else {
        next = position + 1
      }
    }
  }

  private static func record(in bytes: [UInt8], at position: Int) -> (item: UInt64, stamp: StepStamp, end: Int)? {
    guard bytes[position...].starts(with: start) else { return nil }
    var reader = ByteReader(bytes, from: position + start.count)
    do throws(ByteReader.Problem) {
      let count = try reader.count()
      let (from, end) = (reader.position, reader.position + count)
      guard end + 4 <= bytes.count else { return nil }
      let sum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[end + $1]) << (8 * UInt32($1)) }
      guard Checksum.of(bytes[from..<end]) == sum else { return nil }
      let item = try reader.number()
      let (definition, values) = (try reader.text(), try reader.text())
      guard case .object(let outputs)? = try? JSONText.parse(try reader.block()) else { return nil }
      var files: [[InputStamp]] = []
      for _ in 0..<2 {
        var stamps: [InputStamp] = []
        for _ in 0..<(try reader.count()) { stamps.append(try InputStamp(&reader)) }
        files.append(stamps)
      }
      let stamp = StepStamp(
        definition: definition, values: values, inputs: files[0], products: files[1], outputs: outputs)
      return (item, stamp, end + 4)
    } catch {
      return nil
    }
  }
}

extension InputStamp {
  fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Problem) {
    path = try reader.text()
    bytes = try reader.signed()
    number = try reader.number()
    modifiedNanoseconds = try reader.signed()
    changedNanoseconds = try reader.signed()
    digest = try reader.text()
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.add(path)
    writer.add(signed: bytes)
    writer.add(number)
    writer.add(signed: modifiedNanoseconds)
    writer.add(signed: changedNanoseconds)
    writer.add(digest)
  }
}
