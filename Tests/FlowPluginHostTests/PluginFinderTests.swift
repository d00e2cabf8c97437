import FlowPluginHost
import Foundation
import Testing

/// The folders in which plugins are found, and the plugins that are refused.
struct PluginFinderTests {
  private let root: String

  init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "finder-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  private func folder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(root)/\(path)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  private func plugin(_ path: String, manifest: String? = nil) throws {
    try folder(path)
    let name = path.split(separator: "/").last!
    let text =
      manifest
      ?? "name: \(name)\nversion: 1.0.0\nprotocol: 1\ncommand: [cat]\nactions:\n  \(name).run: { summary: Runs }\n"
    try text.write(toFile: "\(root)/\(path)/plugin.yaml", atomically: true, encoding: .utf8)
  }

  private func names(given: [String] = [], start: String) -> [String] {
    PluginFinder(given: given.map { "\(root)/\($0)" }, start: "\(root)/\(start)").find().plugins.map(\.name)
  }

  @Test func `plugins are found next to the workflow and above it, up to the folder with .git`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try plugin("plugins/outside")
    try folder("project/.git")
    try plugin("project/plugins/shared")
    try plugin("project/flows/plugins/near")
    try folder("project/plugins/no-manifest")
    #expect(names(start: "project/flows") == ["near", "shared"])
    #expect(names(start: "project") == ["shared"])
    #expect(names(start: "project/flows/../flows/") == ["near", "shared"])
  }

  @Test func `folders named on the command line are searched first, and each plugin is found once`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try folder("project/.git")
    try plugin("project/plugins/shared")
    try plugin("tools/one")
    try plugin("tools/two")
    #expect(names(given: ["tools"], start: "project") == ["one", "two", "shared"])
    #expect(names(given: ["tools/two", "tools", "project/plugins"], start: "project") == ["two", "one", "shared"])
    let missing = PluginFinder(given: ["\(root)/nowhere"], start: "\(root)/project").find()
    #expect(missing.unusable.map(\.description) == ["\(root)/nowhere: error: there is no such folder\n"])
  }

  @Test func `a plugin is refused if another user can write to its folder or files`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try folder(".git")
    for (name, path) in [("open-folder", ""), ("open-file", "/plugin.yaml")] {
      try plugin("plugins/\(name)")
      let target = "\(root)/plugins/\(name)\(path)"
      try FileManager.default.setAttributes([.posixPermissions: 0o757], ofItemAtPath: target)
      let found = PluginFinder(start: root).find()
      #expect(found.plugins.isEmpty)
      #expect(
        found.unusable.map(\.description) == [
          "\(root)/plugins/\(name): error: other users can write '\(target)', and so change what runs; remove that "
            + "permission with 'chmod go-w'\n"
        ])
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: target)
      #expect(PluginFinder(start: root).find().plugins.map(\.name).contains(name))
      try FileManager.default.removeItem(atPath: "\(root)/plugins/\(name)")
    }
  }

  @Test func `an invalid manifest is reported with its location, and the other plugins are found`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try folder(".git")
    try plugin("plugins/broken", manifest: "name: broken\nversion: 1.0.0\nprotocol: 2\ncommand: [cat]\nactions: {}\n")
    try plugin("plugins/sound")
    let found = PluginFinder(start: root).find()
    #expect(found.plugins.map(\.name) == ["sound"])
    let problem = try #require(found.unusable.first)
    #expect(problem.name == "broken")
    #expect(problem.description.hasPrefix("\(root)/plugins/broken/plugin.yaml:3:11: error: "))
  }
}
