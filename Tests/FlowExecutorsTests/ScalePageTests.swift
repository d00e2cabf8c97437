import Foundation
import TestSupport
import Testing

/// Runs the first commands on the page docs/scale.md. They are unchanged, except for the names of the reader's
/// machines. ``SlurmTests`` covers the section about Slurm.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ScalePageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    .standardizedFileURL.path
  private static let page = (try? String(contentsOfFile: "\(root)/docs/scale.md", encoding: .utf8)) ?? ""
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-page-\(UUID().uuidString)"

  private static func block(_ language: String, behind heading: String) -> String {
    let text = page.components(separatedBy: heading).dropFirst().first ?? ""
    let block = text.components(separatedBy: "```\(language)\n").dropFirst().first ?? ""
    return block.components(separatedBy: "```").first ?? ""
  }

  /// The commands on the page without their comments.
  static let commands = block("sh", behind: "# Past one machine").split(separator: "\n").map {
    String($0.prefix { $0 != "#" }).trimmingCharacters(in: .whitespaces)
  }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.block("yaml", behind: "## From one machine to Slurm")
      .write(toFile: "\(folder)/build.yaml", atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/plugins", withDestinationPath: "\(Self.root)/plugins")
  }

  private func run(_ command: String, path: String = "", _ environment: [String: String] = [:]) throws {
    let programs = URL(fileURLWithPath: FlowrunProcess.path).deletingLastPathComponent().path
    let settings = environment.map { "\($0)='\($1)'" }.joined(separator: " ")
    let (status, output) = try Shell.run(
      "cd '\(folder)' && export NO_COLOR=1 PATH='\(path)\(programs)':\"$PATH\" \(settings)\n\(command)")
    #expect(status == 0, "\(command): \(output)")
    #expect(output.contains("pack: packed") || command.contains("validate"), "\(command): \(output)")
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func `the scaling page begins with five commands`() { #expect(Self.commands.count == 5, "\(Self.commands)") }

  @Test(.enabled(if: TestExtent.isFull), arguments: commands) func `each command on the scaling page works as written`(
    _ command: String
  ) throws {
    let worker = "worker=\(FlowrunProcess.path)"
    if command.contains("validate") || command.contains("--on workers=") {
      try run(command)
    } else if command.contains("--on slurm=") {
      guard SlurmCluster.isInstalled else { return }
      let cluster = try SlurmCluster()
      try run(command, cluster.environment)
    } else if command.contains("--on ssh=") {
      guard SSHServer.isInstalled else { return }
      let server = try SSHServer()
      try "one 1\ntwo 1\n".write(toFile: "\(folder)/hosts.txt", atomically: true, encoding: .utf8)
      try run("\(command),\(worker)", path: "\(server.folder)/bin:")
    } else {
      #expect(command.contains("dask=tcp://head:8786"), "the test does not know '\(command)'")
      guard DaskCluster.isInstalled else { return }
      let cluster = try DaskCluster()
      let programs = DaskCluster.environment["PATH"]?.split(separator: ":").first ?? ""
      try run(
        command.replacing("dask=tcp://head:8786", with: "dask=\(cluster.address),\(worker)"), path: "\(programs):")
    }
  }

  @Test func `the executor manifest on the scaling page is valid`() throws {
    try FileManager.default.createDirectory(atPath: "\(folder)/own", withIntermediateDirectories: true)
    try Self.block("yaml", behind: "## Executors of your own")
      .write(toFile: "\(folder)/own/plugin.yaml", atomically: true, encoding: .utf8)
    let result = try FlowrunProcess.run(["plugins", "check", "own"], in: folder)
    #expect(result.exitCode == 0 && result.output.contains("an executor"), "\(result)")
    try FileManager.default.removeItem(atPath: folder)
  }
}
