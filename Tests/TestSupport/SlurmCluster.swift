import Foundation

/// A Slurm cluster for one test: a controller and two nodes with two processors each, all on this machine. It stops
/// when this object is released.
public final class SlurmCluster: Sendable {
  /// The folder with the cluster's files.
  public let folder: String

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../scripts/slurm").standardizedFileURL.path

  /// True if Slurm is installed, for example by `scripts/setup test` on Linux.
  public static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/slurmctld")

  /// True if Slurm is installed together with its accounting.
  public static let hasAccounting =
    isInstalled
    && ["slurmdbd", "mariadbd"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/sbin/\($0)") }

  /// Starts the cluster. `hasAccounting` starts the accounting database as well.
  public init(hasAccounting: Bool = false) throws {
    folder = "/tmp/flowrun-slurm-\(UUID().uuidString.prefix(8))"
    try run("start", hasAccounting ? "2 accounting" : "")
  }

  deinit { try? run("stop") }

  /// The environment variables with which Slurm's commands find the cluster.
  public var environment: [String: String] { ["SLURM_CONF": "\(folder)/slurm.conf"] }

  /// Kills a node and all of its processes, as a power failure would.
  public func killNode(_ name: String) throws { try run("kill-node", name) }

  /// Restarts a node that was killed.
  public func startNode(_ name: String) throws { try run("start-node", name) }

  /// Returns the ids of the daemons that manage the steps on a node.
  public func stepDaemons(on node: String) throws -> [Int32] {
    let (status, output) = try Shell.run("'\(Self.script)' step-daemons '\(folder)' \(node)")
    guard status == 0 else { throw Database.Failure(output: output) }
    return ListedProcess.numbers(output)
  }

  /// Runs a Slurm command and returns its output.
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
