import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowTestKit
import Foundation
import TestSupport
import Testing

/// Programs that were written from the protocol page alone, in languages for which flowrun has no support files.
@Suite(.timeLimit(.minutes(10))) struct ProtocolPageTests {
  private static let children = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Children").path

  @Test(arguments: [
    (["perl", "\(children)/shout.pl"], [[String]]()),
    (["./shout"], [["clang", "-Wall", "-Werror", "-o", "shout", "\(children)/shout.c"]]),
  ])
  func `the protocol page is sufficient to write plugins in other languages`(command: [String], made: [[String]])
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)/shout").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for words in made {
      let (status, output) = try Shell.run(words.map { "'\($0)'" }.joined(separator: " "), in: folder)
      try #require(status == 0, "\(output)")
    }
    try """
    name: shout
    version: 1.0.0
    protocol: 1
    command: [\(command.joined(separator: ", "))]
    actions:
      shout.text:
        summary: Says a text louder
        inputs: { text: { type: string, description: What to say } }
        outputs: { text: { type: string, description: "The text, said louder" } }
        errors: { nothing-to-say: { summary: The text is empty, retryable: false } }
        example: |
          uses: shout.text
          with: { text: hello }

    """.write(toFile: folder + "/plugin.yaml", atomically: true, encoding: .utf8)
    let host = PluginHost(cacheFolder: folder + "-cache")
    let cases = try PluginCase.read(
      """
      {"action": "shout.text", "with": {"text": "hello"}, "outputs": {"text": "HELLO!"}}
      {"action": "shout.text", "with": {"text": ""}, "error": "nothing-to-say"}
      """)
    let suite = PluginConformance(
      try PluginFinder.read(folder).get(), on: host, cases: cases, in: folder + "-cache", callDeadline: .seconds(60))
    #expect(await suite.check() == [])
    await host.close()
  }
}
