import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import Testing

@testable import FootprintPlugin

/// Tests the files that the first launch installs and every launch checks (R6).
struct `Setting up at the first launch` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `R6: installs the templates once and keeps the user's changes to them`() async throws {
    let host = try await folder.opened()
    let first = try await host.call(InstallTemplates.self)
    #expect(first == ["installed": 3, "templates": ["long-haul", "round-trip", "weekend"]])
    let store = try #require(host.handle(.keyValueStore, as: (any KeyValueStore).self))
    try store.put(["title": "Mine"], for: "weekend", in: "templates")
    try store.delete("long-haul", in: "templates")
    #expect(try await host.call(InstallTemplates.self) == ["installed": 0, "templates": ["round-trip", "weekend"]])
    #expect(try store.get("weekend", in: "templates") == ["title": "Mine"])
  }

  @Test func `R6: reports missing and truncated files of a manifest`() async throws {
    let manifest = folder.file("manifest.json")
    try #"{"whole.txt": 5, "cut.txt": 9}"#.write(toFile: manifest, atomically: true, encoding: .utf8)
    try "12345".write(toFile: folder.file("whole.txt"), atomically: true, encoding: .utf8)
    let host = TestHost(dataFolder: folder.path)
    let without = await #expect(throws: ActionError.self) {
      try await host.call(CheckResources.self, with: ["manifest": .string(manifest)])
    }
    #expect(without?.code == "resources-missing")
    #expect(without?.message.hasSuffix("cut.txt (missing)") == true)
    try "1234".write(toFile: folder.file("cut.txt"), atomically: true, encoding: .utf8)
    let cut = await #expect(throws: ActionError.self) {
      try await host.call(CheckResources.self, with: ["manifest": .string(manifest)])
    }
    #expect(cut?.message.hasSuffix("cut.txt (4 of 9 bytes)") == true)
    try "123456789".write(toFile: folder.file("cut.txt"), atomically: true, encoding: .utf8)
    #expect(try await host.call(CheckResources.self, with: ["manifest": .string(manifest)]) == ["count": 2])
  }
}
