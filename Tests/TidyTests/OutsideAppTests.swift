import Foundation
import TestSupport
import Testing

/// Builds the app in docs/embedding.md with its own plugin as a separate package. The package depends on this one and
/// on other versions of some packages that flowrun uses. Building it takes some minutes, so the result is stored in
/// `.build/outside-app`.
@Suite(.enabled(if: TestExtent.isFull), .timeLimit(.minutes(30)), .serialized)
struct OutsideAppTests {
  private static let folder = Repository.root.appendingPathComponent(".build/outside-app")

  @Test(arguments: TestExtent.current == .long ? ["debug", "release"] : ["debug"])
  func `the example app builds and runs as a separate package with its own plugin and dependencies`(
    configuration: String
  ) throws {
    try write()
    let build = try run("swift", "build", "-c", configuration)
    #expect(build.status == 0, "\(build.text.suffix(4000))")
    try? FileManager.default.removeItem(at: Self.folder.appendingPathComponent("data"))
    let app = try run(".build/\(configuration)/outside", "launch.yaml", "data")
    try #require(app.status == 0, "\(app.text.prefix(2000))")
    var lines = app.text.split(separator: "\n").map(String.init)
    #expect(lines.removeFirst().hasSuffix("starts"))
    #expect(lines.removeFirst() == "the gate opened ready")
    #expect(lines.removeFirst().hasPrefix("outside: success in "))
    #expect(lines.contains("said: Hello, you; Hello, you"), "\(app.text)")
    #expect(lines.last == "again: success")
  }

  /// Writes the package. Files that have not changed keep their modification time, so that they are not compiled again.
  private func write() throws {
    let block = try #require(
      Block.all(in: Repository.text("docs/embedding.md")).first { $0.text.hasPrefix("import FlowKitYAML") })
    let plain = "Engine(plugins: [BasicsPlugin()])"
    try #require(block.text.contains(plain))
    let files = [
      "Package.swift": """
      // swift-tools-version: 6.1
      import PackageDescription

      let package = Package(
        name: "outside",
        platforms: [.macOS(.v15)],
        dependencies: [
          .package(name: "flowrun", path: "\(Repository.root.path)"),
          .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.0")),
          .package(url: "https://github.com/apple/swift-log", "1.10.0"..<"2.0.0"),
        ],
        targets: [
          .executableTarget(
            name: "outside",
            dependencies: [
              .product(name: "FlowKitYAML", package: "flowrun"), .product(name: "FlowPluginKit", package: "flowrun"),
              .product(name: "BasicsPlugin", package: "flowrun"),
              .product(name: "ArgumentParser", package: "swift-argument-parser"),
              .product(name: "Logging", package: "swift-log"),
            ])
        ])

      """,
      "Sources/outside/Launch.swift": block.text.replacing(
        plain, with: "Engine(plugins: [BasicsPlugin(), GreetingPlugin()])"),
      "Sources/outside/GreetingPlugin.swift": try Repository.text("Tests/FlowCLITests/GreetingExample.swift"),
      "Sources/outside/main.swift": """
      import ArgumentParser
      import FlowKitYAML
      import Foundation
      import Logging

      struct Arguments: ParsableArguments {
        @Argument var workflow: String
        @Argument var dataFolder: String
      }

      let arguments = Arguments.parseOrExit()
      Logger(label: "outside").info("starts")
      let report = try await launch(workflow: arguments.workflow, dataFolder: arguments.dataFolder)
      print(report)
      let copy = try JSONDecoder().decode(RunReport.self, from: JSONEncoder().encode(report))
      print("again: \\(copy.conclusion)")

      """,
      "launch.yaml": """
      name: outside
      deadline: { max: 5s }
      events: [map.first-use]
      outputs: { said: "${{ steps.greet.outputs.text }}" }
      steps:
        greet: { uses: greeting.greet, with: { who: you, times: 2 } }
        ask: { uses: flow.noop, needs: greet, defer: true, after: map.first-use }

      """,
    ]
    for (path, text) in files {
      let file = Self.folder.appendingPathComponent(path)
      if let old = try? String(contentsOf: file, encoding: .utf8), old == text { continue }
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }

  private func run(_ words: String...) throws -> (status: Int32, text: String) {
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let (status, output) = try Shell.run(line, in: Self.folder.path, limitSeconds: 1200)
    return (status, output)
  }
}
