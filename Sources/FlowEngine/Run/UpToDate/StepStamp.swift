import FlowModel
import FlowPlatform

/// What a step was when it last succeeded: what it ran as and on, the files that it read and made, and what it gave.
///
/// One file a step in the data folder, replaced as a whole: a process that dies leaves the old one.
struct StepStamp: Sendable {
  /// A digest of what the workflow says of the step.
  var definition: String
  /// A digest of its inputs, its variables and what the steps gave that it needs.
  var values: String
  var inputs: [InputStamp]
  var products: [InputStamp]
  /// With placeholders in the place of secrets.
  var outputs: ValueObject

  /// The file of a step in the data folder.
  static func path(of step: StepID, in dataFolder: String, suffix: String = "json") -> String {
    "\(dataFolder)/up-to-date/\(step.text.replacing("/", with: "+")).\(suffix)"
  }

  /// The stamp of a step; nil: there is none that can be read.
  init?(of step: StepID, in dataFolder: String) {
    guard let bytes = Self.read(Self.path(of: step, in: dataFolder)),
      case .object(let object)? = try? JSONText.parse(bytes), object["version"] == 1,
      let definition = object["definition"]?.stringValue, let values = object["values"]?.stringValue,
      let inputs = object["inputs"]?.arrayValue, let products = object["products"]?.arrayValue,
      let outputs = object["outputs"]?.objectValue
    else { return nil }
    (self.definition, self.values, self.outputs) = (definition, values, outputs)
    self.inputs = inputs.compactMap { InputStamp($0) }
    self.products = products.compactMap { InputStamp($0) }
  }

  init(definition: String, values: String, inputs: [InputStamp], products: [InputStamp], outputs: ValueObject) {
    self.definition = definition
    self.values = values
    self.inputs = inputs
    self.products = products
    self.outputs = outputs
  }

  /// Writes it down; why that cannot be done, or nil.
  func write(of step: StepID, in dataFolder: String) -> String? {
    let path = Self.path(of: step, in: dataFolder)
    return Self.makeFolder(of: path) ?? Self.replace(path, with: bytes)
  }

  /// Makes the folder of the files of all steps; why that cannot be done, or nil.
  static func makeFolder(of path: String) -> String? {
    let folder = FilePath.folder(of: path)
    if mkdir(folder, 0o700) == 0 || errno == EEXIST { return nil }
    return "\(folder): \(String(cString: strerror(errno)))"
  }

  /// Replaces a file as a whole; why that cannot be done, or nil.
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

  private var bytes: [UInt8] {
    JSONText.bytes(
      of: [
        "version": 1, "definition": .string(definition), "values": .string(values), "outputs": .object(outputs),
        "products": .array(products.map(\.value)), "inputs": .array(inputs.map(\.value)),
      ])
  }

  /// The bytes of a file of stamps; nil: it cannot be read, or is larger than any of them.
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
}
