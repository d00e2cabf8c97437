import Foundation

/// A Slurm of the test's own, with a controller and two nodes of two processors on this machine; it goes away with the
/// object.
public final class SlurmCluster: Sendable {
  /// Its path.
  public let folder: String

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../scripts/slurm").standardizedFileURL.path

  /// Whether Slurm is installed, as `scripts/setup test` does on Linux.
  public static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/slurmctld")

  /// Whether what keeps its accounting is installed, too.
  public static let hasAccounting =
    isInstalled
    && ["slurmdbd", "mariadbd"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/sbin/\($0)") }

  /// Starts it, with accounting where that is wanted.
  public init(hasAccounting: Bool = false) throws {
    folder = "/tmp/flowrun-slurm-\(UUID().uuidString.prefix(8))"
    try run("start", hasAccounting ? "2 accounting" : "")
  }

  deinit { try? run("stop") }

  /// What makes Slurm's commands find it.
  public var environment: [String: String] { ["SLURM_CONF": "\(folder)/slurm.conf"] }

  /// Ends a node with all it runs, as a power cut would.
  public func killNode(_ name: String) throws { try run("kill-node", name) }

  /// Brings back a node that was killed.
  public func startNode(_ name: String) throws { try run("start-node", name) }

  /// The processes by which Slurm holds what runs on a node.
  public func stepDaemons(on node: String) throws -> [Int32] {
    let (status, output) = try Shell.run("'\(Self.script)' step-daemons '\(folder)' \(node)")
    guard status == 0 else { throw Database.Failure(output: output) }
    return ListedProcess.numbers(output)
  }

  /// What a command of Slurm prints.
  public func ask(_ command: String) throws -> String {
    let (status, output) = try Shell.run("SLURM_CONF='\(folder)/slurm.conf' \(command)")
    guard status == 0 else { throw Database.Failure(output: output) }
    return output
  }

  private func run(_ verb: String, _ argument: String = "") throws {
    let (status, output) = try Shell.run("'\(Self.script)' \(verb) '\(folder)' \(argument)")
    guard status == 0 else { throw Database.Failure(output: output) }
  }
}
