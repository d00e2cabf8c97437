import FlowBytes
import Testing

/// The hashes and encoded numbers are stored in files or sent between devices, so they must never change.
struct `Hashes and encoded numbers` {
  @Test func `the SplitMix64 generator returns the published values`() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test(
    arguments: [
      ("", 0x811c_9dc5, 0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d),
      ("a", 0xe40c_292c, 0xaf63_dc4c_8601_ec8c, 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964),
      ("foobar", 0xbf9c_f968, 0x8594_4171_f739_67e8, 0x343e_1662_793c_64bf_6f0d_3597_ba44_6f18),
    ] as [(String, UInt32, UInt64, UInt128)])
  func `each text has its published FNV-1a hashes`(text: String, short: UInt32, word: UInt64, long: UInt128) {
    var (a, b, c) = (FNV1a32(), FNV1a64(), FNV1a128())
    a.add(text.utf8)
    b.add(text.utf8)
    c.add(text.utf8)
    #expect(a.value == short && b.value == word && c.value == long)
    // These bytes are not stored one after another.
    var mapped = FNV1a64()
    mapped.add(text.utf8.lazy.map { $0 })
    #expect(mapped.value == word)
  }

  @Test func `a number has the same FNV-1a hash as its bytes in little-endian order`() {
    var (number, bytes) = (FNV1a64(), FNV1a64())
    number.add(0x0807_0605_0403_0201 as UInt64)
    bytes.add([1, 2, 3, 4, 5, 6, 7, 8])
    #expect(number == bytes)
  }

  @Test(
    arguments: [
      (0, [0]), (127, [0x7f]), (128, [0x80, 1]), (624_485, [0xe5, 0x8e, 0x26]),
      (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]),
    ] as [(UInt64, [UInt8])])
  func `each number is encoded in LEB128 in as few bytes as possible, without loss`(number: UInt64, bytes: [UInt8])
    throws
  {
    var (written, offset) = ([0x55] as [UInt8], 1)
    LEB128.write(number) { written.append($0) }
    #expect(written == [0x55] + bytes)
    #expect(try LEB128.read(written, at: &offset) == number && offset == written.count)
    #expect(LEB128.size(of: number) == bytes.count)
  }

  @Test(
    arguments: [
      ([], .truncated), ([0x80], .truncated), ([0x80, 0], .notShortest),
      ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2], .tooLarge),
    ] as [([UInt8], LEB128.NumberProblem)])
  func `malformed LEB128 bytes are rejected without moving the offset`(bytes: [UInt8], problem: LEB128.NumberProblem) {
    var offset = 0
    #expect(throws: problem) { try LEB128.read(bytes, at: &offset) }
    #expect(offset == 0)
  }

  @Test(arguments: [(0, 0), (-1, 1), (1, 2), (.min, .max), (.max, .max - 1)] as [(Int64, UInt64)])
  func `zigzag encoding maps signed numbers to unsigned numbers and back`(number: Int64, zigzag: UInt64) {
    #expect(LEB128.zigzag(number) == zigzag && LEB128.signed(zigzag) == number)
  }
}
