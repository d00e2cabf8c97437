import FlowBytes
import Foundation
import SyncPomodoro
import SyncYAML
import Testing

@testable import SyncRecords

/// Schemas compiled into an app.
struct CompiledSchemaTests {
  private static let root: URL = {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    return root
  }()

  /// Returns the schemas in the repository's schema files, pages and tests.
  private static func schemas() throws -> [(name: String, schema: RecordSchema)] {
    var texts: [(String, String)] = []
    for folder in ["Examples", "docs", "plugins", "workflows"] {
      let files = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      while let file = files?.nextObject() as? String {
        let isSource = file.hasSuffix(".md") || file.hasSuffix(".swift")
        guard isSource || file.hasSuffix(SchemaFile.suffix), !file.contains(".build/") else { continue }
        let text = try String(contentsOf: root.appendingPathComponent("\(folder)/\(file)"), encoding: .utf8)
        for part in isSource ? blocks(text) : [text] { texts.append((file, part)) }
      }
    }
    return texts.compactMap { name, text in
      YAMLSchemas().read(Array(text.utf8), file: name).schema.map { (name, $0) }
    }
  }

  /// Returns the texts between fences or triple quotes that look like schemas.
  private static func blocks(_ text: String) -> [String] {
    var (blocks, current): ([String], [Substring]?) = ([], nil)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let word = line.drop { $0 == " " }
      guard word.hasPrefix("```") || word.hasSuffix("\"\"\"") || word == "\"\"\"" else {
        current?.append(line)
        continue
      }
      if let lines = current {
        let indent = lines.first?.prefix { $0 == " " }.count ?? 0
        blocks.append(lines.map { $0.dropFirst(indent) }.joined(separator: "\n"))
        current = nil
      } else {
        current = []
      }
    }
    return blocks.filter { $0.contains("schema:") && $0.contains("collections:") }
  }

  @Test func `every schema of the repository is unchanged after it is compiled and read`() throws {
    let schemas = try Self.schemas()
    #expect(schemas.count > 8, "\(schemas.map(\.name))")
    #expect(Set(schemas.map(\.schema.name)).isSuperset(of: ["pomodoro", "notes", "todo", "reading", "shop"]))
    for (name, schema) in schemas + [("timer", Pomodoro.schema), ("devices", Pomodoro.schema.withDevices)] {
      let compiled = CompiledSchema(schema, file: name)
      #expect(try compiled.schema() == schema, "\(name)")
      #expect(CompiledSchema(schema, file: name).bytes == compiled.bytes)
    }
  }

  private static func notes() throws -> CompiledSchema {
    let file = root.appendingPathComponent("workflows/notes.sync.yaml")
    let read = YAMLSchemas().read(Array(try Data(contentsOf: file)), file: "notes.sync.yaml")
    return CompiledSchema(try #require(read.schema), file: "notes.sync.yaml")
  }

  private func problem(_ bytes: [UInt8]) -> String? {
    do throws(CompiledSchemaError) {
      _ = try CompiledSchema(file: "notes.sync.yaml", bytes: bytes).schema()
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `damaged, truncated or extended bytes of a compiled schema cause an error`() throws {
    let good = try Self.notes().bytes
    #expect(problem(good) == nil)
    for end in 0..<good.count { #expect(problem(Array(good[..<end])) != nil, "\(end) bytes") }
    for index in good.indices {
      var bytes = good
      bytes[index] ^= 0x20
      #expect(problem(bytes) != nil, "byte \(index)")
    }
    #expect(problem(good + [0])?.contains("is damaged") == true)
    #expect(problem([])?.contains("'notes.sync.yaml' is not a compiled schema; build the app again") == true)
  }

  @Test func `a compiled schema of an unknown format or beyond the size limit causes an error`() throws {
    var newer = try Self.notes().bytes
    newer[CompiledSchema.mark.count] = 2
    #expect(problem(newer)?.contains("has format 2, expected 1; build the app again") == true)
    let long = try Self.notes().bytes + [UInt8](repeating: 0, count: 65 << 20)
    #expect(problem(long)?.contains("MiB") == true, "\(problem(long) ?? "")")
  }

  /// Returns the bytes with a correct checksum, so that the reader does not stop at the checksum.
  private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    let start = CompiledSchema.mark.count + 1
    guard bytes.count >= start + 8 else { return bytes }
    var hash = FNV1a64()
    for byte in bytes[(start + 8)...] { hash.add(byte) }
    var sealed = bytes
    for index in 0..<8 { sealed[start + index] = UInt8(truncatingIfNeeded: hash.value >> (8 * UInt64(index))) }
    return sealed
  }

  @Test func `random bytes with a correct checksum are read as a schema or cause an error, but never a crash`() throws {
    let good = try Self.notes().bytes
    #expect(sealed(good) == good)
    var (random, refused) = (SplitMix64(seed: 7), 0)
    for _ in 0..<2_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[.random(in: CompiledSchema.mark.count + 9..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      if problem(sealed(bytes)) != nil { refused += 1 }
    }
    #expect(refused > 500)
  }
}
