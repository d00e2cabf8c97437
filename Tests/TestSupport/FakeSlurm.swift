import Foundation

/// Replacements for Slurm's commands, which run programs on this machine without a cluster. `srun` never queues, and
/// each call is recorded.
public struct FakeSlurm {
  /// The folder that contains the commands.
  public let folder: String

  /// Creates the commands in a new folder. `srun` contains shell commands that the fake `srun` runs before its program,
  /// whose words are in `$@`.
  public init(srun: String = "") throws {
    folder = FileManager.default.temporaryDirectory.path + "/flowrun-slurm-commands-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let note = "echo \"${0##*/} $PPID $*\" >> '\(folder)/calls'\n"
    try write(
      note + "case \"$*\" in *--Node*) echo '2 1000 (null) idle main* node1' ;; *) echo 'main up' ;; esac", to: "sinfo")
    try write(
      note + "for word; do case $word in --*) shift ;; *) break ;; esac; done\n\(srun)\nexec \"$@\"", to: "srun")
    for name in ["scancel", "scontrol", "squeue"] { try write(note, to: name) }
  }

  /// Replaces a command with a script. Calls to the command are still recorded.
  public func set(_ name: String, _ script: String) throws {
    try write("echo \"${0##*/} $PPID $*\" >> '\(folder)/calls'\n" + script, to: name)
  }

  private func write(_ script: String, to name: String) throws {
    try "#!/bin/sh\n\(script)\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/\(name)")
  }

  /// The environment variables with which flowrun finds the commands.
  public var environment: [String: String] { ["PATH": "\(folder):/usr/bin:/bin"] }

  /// The recorded calls. Each contains the command, the calling process and the arguments.
  public var calls: [String] {
    let text = try? String(contentsOfFile: "\(folder)/calls", encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }

  /// The ids of the processes that have requested an allocation.
  public var askers: Set<String> {
    Set(calls.filter { $0.hasPrefix("srun ") }.map { String($0.split(separator: " ")[1]) })
  }

  /// Removes the folder with the commands.
  public func remove() { try? FileManager.default.removeItem(atPath: folder) }
}
