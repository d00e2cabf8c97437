import FlowModel
import FlowPlatform
import FlowStore

/// A record that all items of a step were up to date. While it is valid, items are neither evaluated nor read; only the
/// states of files are checked.
///
/// The data folder contains one file for each step, which is replaced as a whole. The files whose states the record
/// contains include the file of ``ItemStamps``, which changes whenever an item succeeds, so a stamp need not be updated
/// or removed.
struct FanOutStamp: Sendable {
  /// Digests of everything except files that affects the results of the items.
  struct Key: Sendable, Hashable {
    /// A digest of the step's definition, the run's inputs and the items.
    var files: String
    /// A digest of the inputs and variables that are the same for all items.
    var values: String
  }

  let key: Key
  /// The outputs of each item, with placeholders instead of secrets.
  let outputs: [ValueObject]
  /// The paths of all files that were checked, relative to the folder of the step, and the state of each.
  let files: [String]
  let states: [FileState?]

  private static let start: [UInt8] = [0xF1, 0x6F, 0x77, 0x03]
  /// The number of bytes that precede the data and that the checksum does not cover: ``start`` and the checksum itself.
  private static let headBytes = 8

  private static func path(of step: StepID, in dataFolder: String) -> String {
    StepStamp.path(of: step, in: dataFolder, suffix: "unchanged")
  }

  /// Reads the stamp of a step. Returns nil if it is missing or damaged.
  init?(of step: StepID, in dataFolder: String) {
    guard let bytes = StepStamp.read(Self.path(of: step, in: dataFolder)), bytes.starts(with: Self.start),
      bytes.count > Self.headBytes, Array(bytes[4..<Self.headBytes]) == Self.checksum(of: bytes)
    else { return nil }
    var reader = ByteReader(bytes, from: Self.headBytes)
    do throws(ByteReader.ByteProblem) {
      key = Key(files: try reader.text(), values: try reader.text())
      var different: [ValueObject] = []
      for _ in 0..<(try reader.count()) {
        guard case .object(let outputs)? = try? JSONText.parse(try reader.block(), rules: .ofOutputs) else {
          return nil
        }
        different.append(outputs)
      }
      var outputs: [ValueObject] = []
      for _ in 0..<(try reader.count()) {
        let index = try reader.number()
        guard index < UInt64(different.count) else { return nil }
        outputs.append(different[Int(index)])
      }
      self.outputs = outputs
      var (files, states) = ([String](), [FileState?]())
      for _ in 0..<(try reader.count()) {
        files.append(try reader.text())
        states.append(try FileState(&reader))
      }
      (self.files, self.states) = (files, states)
    } catch {
      return nil
    }
  }

  /// Writes the stamp of a step. A failure is ignored, because the items are then checked one by one.
  static func write(
    _ key: Key, outputs: [ValueObject], files: [(path: String, state: FileState)], of step: StepID,
    in dataFolder: String
  ) {
    var indices: [[UInt8]: Int] = [:]
    var different: [[UInt8]] = []
    let indexOfItem = outputs.map { outputs in
      let block = JSONText.bytes(of: .object(outputs))
      if let index = indices[block] { return index }
      indices[block] = different.count
      different.append(block)
      return different.count - 1
    }
    var writer = ByteWriter()
    writer.add(raw: start + [0, 0, 0, 0])
    writer.add(key.files)
    writer.add(key.values)
    writer.add(UInt64(different.count))
    for block in different { writer.add(block) }
    writer.add(UInt64(indexOfItem.count))
    for index in indexOfItem { writer.add(UInt64(index)) }
    writer.add(UInt64(files.count))
    for (path, state) in files {
      writer.add(path)
      state.write(to: &writer)
    }
    var bytes = writer.bytes
    bytes.replaceSubrange(4..<headBytes, with: checksum(of: bytes))
    _ = StepStamp.replace(path(of: step, in: dataFolder), with: bytes)
  }

  /// True if all files are in their recorded state.
  func isAsItWas(in folder: String) -> Bool { OpenFolder(folder).states(of: files) == states }

  private static func checksum(of bytes: [UInt8]) -> [UInt8] {
    withUnsafeBytes(of: Checksum.of(bytes[headBytes...]).littleEndian) { Array($0) }
  }
}
