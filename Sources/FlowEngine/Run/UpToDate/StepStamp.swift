import FlowModel
import FlowPlatform
import FlowStore

/// The record of the last success of a step or item: digests of its definition and inputs, the files that it read and
/// produced, and its outputs.
///
/// The data folder contains a file with one record for each step. The file is replaced as a whole, so that a crash
/// leaves the old record intact. The records of items are in one file for each step (``ItemStamps``).
struct StepStamp: Sendable {
  /// A digest of the step's definition.
  var definition: String
  /// A digest of the step's inputs, its variables and the outputs of its dependencies. In a record of failed attempts,
  /// the id of the last attempt.
  var values: String
  var inputs: [InputStamp]
  var products: [InputStamp]
  /// The outputs, with placeholders instead of secrets.
  var outputs: ValueObject

  /// Returns the path of a step's file in the data folder.
  static func path(of step: StepID, in dataFolder: String, suffix: String = "step") -> String {
    "\(folder(in: dataFolder))/\(name(of: step)).\(suffix)"
  }

  /// Returns the folder in the data folder that contains the records of all steps.
  static func folder(in dataFolder: String) -> String { "\(dataFolder)/up-to-date" }

  /// Returns the beginning of the names of a step's files: its id with `+` instead of each slash.
  static func name(of step: StepID) -> String {
    let slash = UInt8(ascii: "/")
    return String(decoding: step.text.utf8.map { $0 == slash ? UInt8(ascii: "+") : $0 }, as: UTF8.self)
  }

  /// Reads the record of a step. Returns nil if it is missing or damaged.
  init?(of step: StepID, in dataFolder: String) {
    guard let bytes = Self.read(Self.path(of: step, in: dataFolder)), let (_, stamp, _) = Self.record(in: bytes, at: 0)
    else { return nil }
    self = stamp
  }

  init(definition: String, values: String, inputs: [InputStamp], products: [InputStamp], outputs: ValueObject) {
    self.definition = definition
    self.values = values
    self.inputs = inputs
    self.products = products
    self.outputs = outputs
  }

  /// Creates a record of the products that failed attempts have left. `attempt` is the id of the last of these
  /// attempts.
  init(ofFailure attempt: String, left: [InputStamp]) {
    self.init(definition: "", values: attempt, inputs: [], products: left, outputs: [:])
  }

  /// True if this is a record of failed attempts rather than of a success.
  var isOfFailure: Bool { definition.isEmpty }

  /// The paths of the products that existed when the record was made.
  var productPaths: [String] { products.filter { $0.bytes >= 0 }.map(\.path) }

  /// Writes the record of a step. Returns an error message if that failed, otherwise nil.
  func write(of step: StepID, in dataFolder: String) -> String? {
    let path = Self.path(of: step, in: dataFolder)
    var bytes: [UInt8] = []
    write(of: 0, to: &bytes)
    return Self.makeFolder(of: path) ?? Self.replace(path, with: bytes)
  }

  /// Creates the folder for all records. Returns an error message if that failed, otherwise nil.
  static func makeFolder(of path: String) -> String? {
    let folder = FilePath.folder(of: path)
    if mkdir(folder, 0o700) == 0 || errno == EEXIST { return nil }
    return "\(folder): \(String(cString: strerror(errno)))"
  }

  /// Replaces a file as a whole. Returns an error message if that failed, otherwise nil.
  static func replace(_ path: String, with bytes: [UInt8]) -> String? {
    let temporary = "\(path).\(getpid())-\(UInt32.random(in: 0 ... .max))"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return "\(path): \(String(cString: strerror(errno)))" }
    var isWritten = bytes.withUnsafeBytes { SystemCall.writeAll(file, $0) } == 0
    isWritten = close(file) == 0 && isWritten
    if isWritten, rename(temporary, path) == 0 { return nil }
    let problem = "\(path): \(String(cString: strerror(errno)))"
    unlink(temporary)
    return problem
  }

  /// Reads a file with records. Returns nil if it cannot be read or is too large.
  static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size <= 256 << 20 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        SystemCall.read(file, UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
      }
      if count <= 0 { return nil }
      start += count
    }
    return bytes
  }

  // MARK: Records

  static let start: [UInt8] = [0xF1, 0x6F, 0x77, 0x02]

  /// Appends a record with its checksum. `item` is the key of the item, or 0 for the record of a step.
  func write(of item: UInt64, to bytes: inout [UInt8]) {
    var writer = ByteWriter()
    writer.add(item)
    writer.add(definition)
    writer.add(values)
    writer.add(JSONText.bytes(of: .object(outputs)))
    for files in [inputs, products] {
      writer.add(UInt64(files.count))
      for file in files { file.write(to: &writer) }
    }
    var head = ByteWriter()
    head.add(UInt64(writer.bytes.count))
    bytes += Self.start
    bytes += head.bytes
    bytes += writer.bytes
    withUnsafeBytes(of: Checksum.of(writer.bytes).littleEndian) { bytes += $0 }
  }

  /// Returns the last complete record of each item.
  static func all(in bytes: [UInt8]) -> [StepStamp] {
    var stamps: [UInt64: StepStamp] = [:]
    forEachRecord(in: bytes) { stamps[$0] = $1 }
    return Array(stamps.values)
  }

  /// Calls `body` with each complete record.
  static func forEachRecord(in bytes: [UInt8], _ body: (_ item: UInt64, _ stamp: StepStamp) -> Void) {
    var next = 0
    while let position = bytes[next...].firstIndex(of: start[0]) {
      if let (item, stamp, end) = record(in: bytes, at: position) {
        body(item, stamp)
        next = end
      } else {
        next = position + 1
      }
    }
  }

  /// Returns the record at `position` and the position after it. Returns nil if there is no complete record there.
  static func record(in bytes: [UInt8], at position: Int) -> (item: UInt64, stamp: StepStamp, end: Int)? {
    guard bytes[position...].starts(with: start) else { return nil }
    var reader = ByteReader(bytes, from: position + start.count)
    do throws(ByteReader.ByteProblem) {
      let count = try reader.count()
      let (from, end) = (reader.position, reader.position + count)
      guard end + 4 <= bytes.count else { return nil }
      let sum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[end + $1]) << (8 * UInt32($1)) }
      guard Checksum.of(bytes[from..<end]) == sum else { return nil }
      let item = try reader.number()
      let (definition, values) = (try reader.text(), try reader.text())
      guard case .object(let outputs)? = try? JSONText.parse(try reader.block(), rules: .ofOutputs) else { return nil }
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
  fileprivate init(_ reader: inout ByteReader) throws(ByteReader.ByteProblem) {
    path = try reader.text()
    let state = try FileState(&reader)
    (bytes, number) = (state.bytes, state.number)
    (modifiedNanoseconds, changedNanoseconds) = (state.modifiedNanoseconds, state.changedNanoseconds)
    digest = try reader.text()
  }

  fileprivate func write(to writer: inout ByteWriter) {
    writer.add(path)
    FileState(
      number: number, bytes: bytes, modifiedNanoseconds: modifiedNanoseconds, changedNanoseconds: changedNanoseconds
    ).write(to: &writer)
    writer.add(digest)
  }
}

extension FileState {
  init(_ reader: inout ByteReader) throws(ByteReader.ByteProblem) {
    let (bytes, number) = (try reader.signed(), try reader.number())
    self.init(
      number: number, bytes: bytes, modifiedNanoseconds: try reader.signed(), changedNanoseconds: try reader.signed())
  }

  func write(to writer: inout ByteWriter) {
    writer.add(signed: bytes)
    writer.add(number)
    writer.add(signed: modifiedNanoseconds)
    writer.add(signed: changedNanoseconds)
  }
}
