import FlowStore
import FlowTestKit
import Testing

struct `A journal chunk` {
  @Test func `a journal chunk has the checksum that RFC 3720 defines`() {
    // The examples of RFC 3720, B.4: 32 bytes of zeros, of ones, and in ascending order.
    #expect(Checksum.of([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(Checksum.of([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(Checksum.of([UInt8](0..<32)) == 0x46DD_794E)
    #expect(Checksum.of([UInt8](5..<32), behind: Checksum.of([UInt8](0..<5))) == 0x46DD_794E)
  }

  @Test func `the fingerprint of a definition depends on every bit, the length and the order`() {
    let bytes = (0..<100).map { UInt8($0) }
    var seen: Set<Int> = [Fingerprint.of([]), Fingerprint.of(bytes)]
    for bit in 0..<800 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      seen.insert(Fingerprint.of(changed))
    }
    for count in 1..<100 { seen.insert(Fingerprint.of(Array(bytes[..<count]))) }
    for count in 1..<100 { seen.insert(Fingerprint.of([UInt8](repeating: 0, count: count))) }
    // Swaps the first two blocks of sixteen bytes, which are processed together.
    var turned = Array(bytes[16..<32])
    turned += bytes[0..<16]
    turned += bytes[32...]
    seen.insert(Fingerprint.of(turned))
    #expect(seen.count == 2 + 800 + 98 + 99 + 1, "1 byte 0 is among both")
    #expect(seen.allSatisfy { $0 >> 62 == 1 })
  }

  @Test func `a journal chunk is read as it was written, and every changed bit is detected`() throws {
    var random = SeededGenerator(seed: SeededGenerator.environmentSeed ?? 1)
    for _ in 0..<200 {
      let body = (0..<Int.random(in: 0..<60, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let chunk = RunChunk(
        random.pick(RunChunk.Kind.allCases), wallMilliseconds: Int(random.next() >> 16),
        runNanoseconds: Int(random.next() >> 8), body: body)
      let bytes = chunk.bytes
      #expect(try RunChunk(bytes) == chunk)
      for bit in 0..<8 * bytes.count {
        var changed = bytes
        changed[bit / 8] ^= 1 << (bit % 8)
        #expect(throws: RunChunk.ChunkProblem.self) { try RunChunk(changed) }
      }
      for count in bytes.indices {
        #expect(throws: RunChunk.ChunkProblem.self) { try RunChunk(Array(bytes[..<count])) }
      }
    }
  }

  @Test func `a journal chunk with a newer format is rejected with the format's number`() {
    var bytes = RunChunk(.entries, wallMilliseconds: 1, runNanoseconds: 2, body: [3]).bytes
    bytes[3] = 2
    #expect(throws: RunChunk.ChunkProblem.newer(version: 2)) { try RunChunk(bytes) }
  }

  @Test func `the writer and the reader of chunks preserve numbers and strings`() throws {
    let numbers: [Int] = [0, 1, -1, 63, 64, -64, -65, 1 << 40, .max, .min]
    var writer = ByteWriter()
    for number in numbers { writer.add(signed: number) }
    writer.add("zwölf")
    var reader = ByteReader(writer.bytes)
    for number in numbers { #expect(try reader.signed() == number) }
    #expect(try reader.text() == "zwölf")
    #expect(reader.isAtEnd)
    #expect(throws: ByteReader.ByteProblem.self) { _ = try reader.byte() }
  }
}
