// Options of `srun` that flowrun has no option for: `srun.NAME=VALUE`, or `srun.NAME` for one without a value.
extension ExecutorAddress.Option {
  /// What such an option begins with.
  static let passedThroughPrefix = "srun."

  /// The name that `srun` knows it by; nil: it is an option of flowrun.
  var passedThrough: String? {
    name.hasPrefix(Self.passedThroughPrefix) ? String(name.dropFirst(Self.passedThroughPrefix.count)) : nil
  }

  /// Whether its value may hold commas.
  var isList: Bool {
    ["constraint", "exclude", "gres", "nodelist", "partition"].contains(name) || passedThrough != nil && !value.isEmpty
  }
}

extension ExecutorAddress {
  /// The options of flowrun that `srun` knows too, by its own names.
  private static let ownOptions = [
    "partition", "account", "qos", "constraint", "time", "mem", "gres", "nodelist", "exclude", "reservation",
  ]
  /// What flowrun sets itself, and what would break the worker's pipe or give it another allocation.
  private static let refusedOptions = [
    "nodes", "ntasks", "cpus-per-task", "job-name", "comment", "mpi", "export", "export-file", "input", "output",
    "error", "label", "pty", "multi-prog", "quiet", "jobid", "overlap", "het-group", "no-allocate", "test-only",
    "chdir", "bcast", "nodefile", "help", "usage", "version", "wait",
  ]

  /// The words for `srun` that the address passes through.
  public var passedThrough: [String] {
    options.compactMap { option in
      option.passedThrough.map { "--\($0)" + (option.value.isEmpty ? "" : "=\(option.value)") }
    }
  }

  /// Throws when `srun` may not be given an option. It takes the beginning of a name for the name.
  func checkPassedThrough(_ name: String) throws(Problem) {
    guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
      name.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Self.isWordByte($0) })
    else {
      throw Problem(message: "'srun.\(name)' does not name an option of srun", help: "write 'srun.licenses=a:1'")
    }
    if let own = Self.ownOptions.first(where: { $0.hasPrefix(name) }) {
      throw Problem(message: "'srun.\(name)' is an option of flowrun", help: "write '\(own)=…'")
    }
    if let refused = Self.refusedOptions.first(where: { $0.hasPrefix(name) }) {
      throw Problem(
        message: "'srun.\(name)' cannot be given: flowrun needs srun's '--\(refused)' itself", help: "leave it out")
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
