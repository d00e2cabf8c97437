/// Converts device tokens to text.
enum DeviceToken {
  /// Formats each byte as two lower-case hexadecimal digits (N22): `00 0f ff` becomes `000fff`.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
