/// The text of device tokens.
enum DeviceToken {
  /// Two lower-case hexadecimal digits a byte (N22): `00 0f ff` gives `000fff`.
  static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
