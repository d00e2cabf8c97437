/// Parses the output of Slurm's commands.
enum SlurmAnswers {
  /// Texts in error messages that indicate a temporary problem: the controller cannot be reached or refuses requests.
  static let passingSigns = [
    "Socket timed out", "Unable to contact slurm controller", "Unable to connect", "Connection refused",
    "Connection timed out", "Communication connection failure", "Communication shutdown failure",
    "Zero Bytes were transmitted", "temporarily unable to accept job", "Resource temporarily unavailable",
    "in standby mode", "Transport/communication",
  ]

  /// True if a command failed because of a temporary problem.
  static func isPassing(_ output: String) -> Bool { passingSigns.contains { output.contains($0) } }

  /// Returns the job number printed by `sbatch --parsable` as `1234` or `1234;cluster`, or nil if there is none. Other
  /// lines, such as those of a wrapper around the command, are ignored.
  static func jobNumber(_ output: String) -> Int? {
    output.split(separator: "\n").reversed().lazy.compactMap { line in
      let parts = line.split(separator: ";", omittingEmptySubsequences: false)
      guard parts.count <= 2, parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        parts.count == 1 || !parts[1].contains(" "), let number = Int(parts[0]), number > 0
      else { return nil }
      return number
    }.first
  }
}
