import FlowPlatform
import Testing

struct `SHA-256` {
  /// Test vectors of FIPS 180-4, and texts that are about as long as one or two blocks.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `a text's SHA-256 digest is the same whether hashed at once or byte by byte`(text: String, digest: String) {
    var whole = SHA256()
    whole.combine(Array(text.utf8))
    #expect(whole.finish() == digest)
    var pieces = SHA256()
    for byte in text.utf8 { pieces.combine([byte]) }
    #expect(pieces.finish() == digest)
  }

  @Test func `the SHA-256 digest of a million letters does not depend on how they are split into pieces`() {
    var hash = SHA256()
    var left = 1_000_000
    var size = 1
    while left > 0 {
      hash.combine([UInt8](repeating: UInt8(ascii: "a"), count: min(size, left)))
      left -= size
      size = size * 2 % 1000 + 1
    }
    #expect(hash.finish() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }
}
