#if Network && os(Linux)
  import Foundation
  import Testing

  /// The libraries and modules in the programs, read from their files.
  struct LinkTests {
    private static let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

    @Test func `flowrun links neither libpq nor Hummingbird, and the server does not link libpq`()
      throws
    {
      let program = try Executable(Self.folder.appendingPathComponent("flowrun"))
      #expect(program.needed.contains { $0.hasPrefix("libc.so") })
      #expect(program.needed.filter { $0.hasPrefix("libpq") } == [])
      #expect(!program.holds("Hummingbird"))
      let server = try Executable(Self.folder.appendingPathComponent("flowrun-sync-server"))
      // libpq is loaded only if a database is named.
      #expect(server.needed.filter { $0.hasPrefix("libpq") } == [])
      #expect(server.holds("Hummingbird"))
    }
  }

  /// A 64-bit ELF file in this machine's byte order (System V ABI, chapters 4 and 5).
  struct Executable {
    /// The libraries named in its dynamic section.
    let needed: [String]
    private let bytes: Data

    struct Malformed: Error {
      let path: String
    }

    private static let dynamicSection: UInt32 = 6
    private static let neededTag: UInt64 = 1

    init(_ file: URL) throws {
      let bytes = try Data(contentsOf: file, options: .alwaysMapped)
      self.bytes = bytes
      guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2]) else { throw Malformed(path: file.path) }
      let (start, size) = (Int(Self.read(bytes, 40) as UInt64), Int(Self.read(bytes, 58) as UInt16))
      let sections = (0..<Int(Self.read(bytes, 60) as UInt16)).map { start + $0 * size }
      let content = { (section: Int) in
        (offset: Int(Self.read(bytes, section + 24) as UInt64), size: Int(Self.read(bytes, section + 32) as UInt64))
      }
      guard let dynamic = sections.first(where: { Self.read(bytes, $0 + 4) == Self.dynamicSection }) else {
        throw Malformed(path: file.path)
      }
      let names = content(sections[Int(Self.read(bytes, dynamic + 40) as UInt32)]).offset
      let entries = content(dynamic)
      needed = stride(from: entries.offset, to: entries.offset + entries.size, by: 16).compactMap { entry in
        guard Self.read(bytes, entry) == Self.neededTag else { return nil }
        let name = names + Int(Self.read(bytes, entry + 8) as UInt64)
        return String(decoding: bytes[name...].prefix { $0 != 0 }, as: UTF8.self)
      }
    }

    /// True if the file contains the text, for example a module's name in a symbol.
    func holds(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }

    private static func read<Number: FixedWidthInteger>(_ bytes: Data, _ offset: Int) -> Number {
      // The offset is inside the file, which `withUnsafeBytes` checks in debug; `loadUnaligned` needs no alignment.
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
  }
#endif
