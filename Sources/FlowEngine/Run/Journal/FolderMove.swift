import FlowModel
import FlowPlatform

/// A move of the workflow's folder between the recording of a run and its resume.
package struct FolderMove: Sendable, Hashable {
  /// The absolute path of the folder at the time of the recording.
  package var from: String
  /// The absolute path of the folder now.
  package var to: String

  /// Creates a move. Returns nil if the folder has not moved, or if the old path is empty or the root folder.
  init?(from: String, to: String) {
    guard from != to, from != "/", !from.isEmpty else { return nil }
    (self.from, self.to) = (from, to)
  }

  /// True if both paths lead to the same folder, so that recorded paths are still valid.
  var isSameFolder: Bool { FilePath.isSame(from, to) }

  /// Returns the new path of a file in the folder. Any other string is returned unchanged.
  func moved(_ text: String) -> String {
    let prefix = from + "/"
    guard text.utf8.starts(with: prefix.utf8) else { return text.utf8.elementsEqual(from.utf8) ? to : text }
    return to + "/" + String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }

  /// Returns the value with all paths in the folder replaced.
  func moved(_ value: Value) -> Value {
    switch value {
    case .string(let text): .string(moved(text))
    case .array(let values): .array(values.map(moved))
    case .object(let object): .object(moved(object))
    default: value
    }
  }

  /// Returns the object with all paths in the folder replaced.
  func moved(_ object: ValueObject) -> ValueObject {
    var result = ValueObject()
    for (name, value) in object { result[name] = moved(value) }
    return result
  }

  /// True if a string in the value contains the old path of the folder.
  func isNamed(in value: Value) -> Bool {
    switch value {
    case .string(let text): isNamed(in: text)
    case .array(let values): values.contains { isNamed(in: $0) }
    case .object(let object): isNamed(in: object)
    default: false
    }
  }

  /// True if a key or value of the object contains the old path of the folder.
  func isNamed(in object: ValueObject) -> Bool {
    object.contains { isNamed(in: $0.0) || isNamed(in: $0.1) }
  }

  private func isNamed(in text: String) -> Bool {
    guard text.utf8.count >= from.utf8.count else { return false }
    let (bytes, name) = (Array(text.utf8), Array(from.utf8))
    var index = 0
    while index + name.count <= bytes.count {
      guard bytes[index] == name[0], bytes[index..<index + name.count].elementsEqual(name) else {
        index += 1
        continue
      }
      let end = index + name.count
      // A period after the path may be the end of a sentence.
      let isWhole = end == bytes.count || bytes[end] == UInt8(ascii: ".") || !Self.isPartOfName(bytes[end])
      // A compiler option may precede the path, as in `-I/project`.
      let isOption = index >= 2 && bytes[index - 2] == UInt8(ascii: "-")
      if isWhole, index == 0 || !Self.isPartOfName(bytes[index - 1]) || isOption { return true }
      index += 1
    }
    return false
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...:
      true
    default: false
    }
  }
}

extension RunHeader {
  /// Returns the header with all paths in the folder replaced.
  func moved(by move: FolderMove) -> RunHeader {
    var header = self
    header.inputs = move.moved(inputs)
    header.environment = move.moved(environment)
    header.inherited = move.moved(inherited)
    header.launch.options = move.moved(launch.options)
    header.dataFolder = move.moved(dataFolder)
    return header
  }
}
