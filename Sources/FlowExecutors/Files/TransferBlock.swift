import CZlib
import FlowModel
import FlowPluginKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A block of file content in a message. It is encoded in Base64, and compressed first if that saves space.
enum TransferBlock {
  /// The maximum size of a block before encoding, in bytes.
  static let bytes = 128 << 10

  /// Encodes a block as members of a JSON message.
  static func members(_ content: [UInt8]) -> ValueObject {
    if let packed = deflated(content), packed.count < content.count - content.count / 16 {
      return ["packed": .string(Data(packed).base64EncodedString()), "bytes": .integer(content.count)]
    }
    return ["plain": .string(Data(content).base64EncodedString())]
  }

  /// Decodes a block from the members of a message.
  static func content(_ members: ValueObject) throws(ActionError) -> [UInt8] {
    if let text = members["plain"]?.stringValue, let data = Data(base64Encoded: text), data.count <= bytes {
      return [UInt8](data)
    }
    guard let text = members["packed"]?.stringValue, let data = Data(base64Encoded: text),
      let count = members["bytes"]?.integerValue, (1...bytes).contains(count),
      let content = inflated([UInt8](data), count: count)
    else { throw ActionError("file-transfer", "a block of files cannot be read") }
    return content
  }

  private static func deflated(_ content: [UInt8]) -> [UInt8]? {
    var count = compressBound(uLong(content.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    // Level 1 compresses nearly as well as the highest level, in a fraction of its time.
    guard compress2(&packed, &count, content, uLong(content.count), 1) == Z_OK else { return nil }
    packed.removeLast(packed.count - Int(count))
    return packed
  }

  private static func inflated(_ packed: [UInt8], count: Int) -> [UInt8]? {
    var content = [UInt8](repeating: 0, count: count)
    var length = uLong(count)
    guard uncompress(&content, &length, packed, uLong(packed.count)) == Z_OK, length == uLong(count) else { return nil }
    return content
  }
}
