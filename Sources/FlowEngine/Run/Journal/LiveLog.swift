import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowStore

/// Files with the output lines that ``RecordedLog`` holds back, which other processes read while the run continues.
///
/// Each file is a part of the lines and is named by run, epoch and number. The oldest parts are removed, so that the
/// files of a run never exceed ``mostBytes``. They are not flushed to disk, because the permanent record is in the run
/// store.
struct LiveLog {
  /// The size at which a part is complete, the number of parts kept, and the maximum size of one write.
  static let (partBytes, keptParts, mostBytesAtOnce) = (4 << 20, 3, 4 << 20)
  /// The maximum total size of a run's files, in bytes.
  static var mostBytes: Int { keptParts * (partBytes + mostBytesAtOnce) }

  private let folder: String
  private let run: String
  private let epoch: Int
  private var part = 0
  private var bytes = 0
  private var file: CInt = -1

  /// Creates a log in a folder, which is created when the first lines are written.
  init(in folder: String, run: String, epoch: Int) {
    (self.folder, self.run, self.epoch) = (folder, run, epoch)
  }

  /// Writes lines that ``append(_:number:to:)`` has encoded. A failed write ends the part; readers detect missing lines
  /// by the numbers.
  mutating func write(_ lines: [UInt8]) {
    if file >= 0, bytes >= Self.partBytes {
      closePart()
      part += 1
      unlink(path(part - Self.keptParts))
    }
    if file < 0 {
      mkdir(folder, 0o700)
      file = open(path(part), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      bytes = 0
    }
    guard file >= 0 else { return }
    bytes += lines.count
    if lines.withUnsafeBytes({ SystemCall.writeAll(file, $0) }) != 0 {
      closePart()
      part += 1
    }
  }

  /// Ends the log and removes its files. If another process is reading logs of the store, that process removes them.
  mutating func end() {
    closePart()
    let lock = Descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard lock.number >= 0, flock(lock.number, LOCK_EX | LOCK_NB) == 0 else { return }
    Self.remove(in: folder) { $0 == run }
  }

  private mutating func closePart() {
    if file >= 0 { close(file) }
    file = -1
  }

  private func path(_ part: Int) -> String { "\(folder)/\(run).\(epoch).\(part)" }

  /// Removes the files of all runs for which `fits` returns true.
  static func remove(in folder: String, where fits: (_ run: String) -> Bool) {
    for name in FilePath.names(in: folder) ?? [] {
      if let run = name.split(separator: ".").first, fits(String(run)) { unlink("\(folder)/\(name)") }
    }
  }

  /// Encodes an output line, with its number among the lines that were held back.
  static func append(_ event: RunEvent, number: Int, to bytes: inout [UInt8]) {
    guard case .stepLog(let step, let level, let stream, let message) = event.kind else { return }
    append(event.atNanoseconds, step, level, stream, message, number: number, to: &bytes)
  }

  /// Encodes output lines. `number` is the number of the first line.
  static func append(_ lines: StepLines, number: Int, to bytes: inout [UInt8]) {
    append(lines.atNanoseconds, lines.step, .info, lines.stream, lines.lines.text, number: number, to: &bytes)
  }

  private static func append(
    _ nanoseconds: Int, _ step: StepID, _ level: LogLevel, _ stream: LogStream?, _ text: String, number: Int,
    to bytes: inout [UInt8]
  ) {
    var writer = ByteWriter()
    writer.reserve(step.text.utf8.count + text.utf8.count + 40)
    writer.add(UInt64(number))
    writer.add(signed: nanoseconds)
    writer.add(level.rawValue)
    writer.add(stream?.rawValue ?? "")
    writer.add(step.text)
    writer.add(text)
    withUnsafeBytes(of: UInt32(writer.bytes.count).littleEndian) { bytes += $0 }
    bytes += writer.bytes
  }

  struct Line {
    var event: RunEvent
    var number: Int

    /// The id of the step. If an item printed the line, this is the step that the item belongs to.
    var step: String {
      guard case .stepLog(let id, _, _, _) = event.kind else { return "" }
      return (id.item?.step ?? id).text
    }
  }

  /// Decodes lines and passes them to `line`. Returns the number of bytes that were read. An incomplete line is not
  /// read.
  static func read(_ bytes: ArraySlice<UInt8>, _ line: (Line) -> Void) -> Int {
    var next = bytes.startIndex
    while bytes.endIndex - next >= 4 {
      let count = (0..<4).reduce(0) { $0 | Int(bytes[next + $1]) << (8 * $1) }
      guard bytes.endIndex - next - 4 >= count else { break }
      var reader = ByteReader(Array(bytes[(next + 4)..<(next + 4 + count)]))
      for read in (try? Self.lines(&reader)) ?? [] { line(read) }
      next += 4 + count
    }
    return next - bytes.startIndex
  }

  /// Reads one message or, if the text ends with a line break, several output lines.
  private static func lines(_ reader: inout ByteReader) throws(ByteReader.ByteProblem) -> [Line] {
    let number = Int(truncatingIfNeeded: try reader.number())
    let time = try reader.signed()
    let level = LogLevel(rawValue: try reader.text()) ?? .info
    let stream = LogStream(rawValue: try reader.text())
    let step = StepID(unchecked: try reader.text())
    let text = try reader.text()
    let areLines = stream != nil && text.utf8.last == UInt8(ascii: "\n")
    let lines = areLines ? PrintedLines(decoding: Array(text.utf8), longest: text.utf8.count).strings : [text]
    return lines.enumerated().map { index, line in
      Line(
        event: RunEvent(
          atNanoseconds: time, .stepLog(step, level: level, stream: stream, message: line)),
        number: number + index)
    }
  }
}

struct LiveLogPosition: Comparable {
  var epoch = 0
  var part = 0
  var byte = 0

  static func < (first: Self, second: Self) -> Bool {
    (first.epoch, first.part, first.byte) < (second.epoch, second.part, second.byte)
  }
}

/// Reads the lines of a ``LiveLog``, possibly while another process writes them.
final class LiveLogReader {
  private let folder: String
  private let run: String
  /// The descriptor of a shared lock, so that other processes do not remove the files.
  private let lock: Descriptor
  private(set) var position = LiveLogPosition()

  init(in folder: String, run: String) {
    (self.folder, self.run) = (folder, run)
    mkdir(folder, 0o700)
    lock = Descriptor(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    if lock.number >= 0 { flock(lock.number, LOCK_SH | LOCK_NB) }
  }

  /// Returns the lines since the last call. If `end` is not nil, no lines after that position are read.
  func read(upTo end: LiveLogPosition? = nil) -> [LiveLog.Line] {
    var parts: [LiveLogPosition] = []
    for name in FilePath.names(in: folder) ?? [] {
      let words = name.split(separator: ".")
      guard words.count == 3, words[0] == run, let epoch = Int(words[1]), let part = Int(words[2]) else { continue }
      if (epoch, part) >= (position.epoch, position.part) { parts.append(LiveLogPosition(epoch: epoch, part: part)) }
    }
    var lines: [LiveLog.Line] = []
    for var part in parts.sorted() {
      if (part.epoch, part.part) == (position.epoch, position.part) { part.byte = position.byte }
      if let end, part >= end { break }
      let file = Descriptor(open("\(folder)/\(run).\(part.epoch).\(part.part)", O_RDONLY | O_CLOEXEC))
      var status = stat()
      guard file.number >= 0, fstat(file.number, &status) == 0 else { continue }
      var room = Int(status.st_size) - part.byte
      if let end, (part.epoch, part.part) == (end.epoch, end.part) { room = min(room, end.byte - part.byte) }
      let bytes = [UInt8](unsafeUninitializedCapacity: max(0, room)) { memory, count in
        count = max(0, pread(file.number, memory.baseAddress, memory.count, off_t(part.byte)))
      }
      part.byte += LiveLog.read(bytes[...]) { lines.append($0) }
      position = part
    }
    return lines
  }

  /// Removes the files of the run, unless another process is reading logs of the store.
  func removeFiles() {
    guard lock.number >= 0, flock(lock.number, LOCK_EX | LOCK_NB) == 0 else { return }
    LiveLog.remove(in: folder) { [run] in $0 == run }
  }
}
