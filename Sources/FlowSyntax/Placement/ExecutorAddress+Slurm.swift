import FlowDiagnostics
import FlowModel

// Options that are passed to `srun` unchanged, written as `srun.NAME=VALUE`, or `srun.NAME` if they have no value.
extension ExecutorAddress.Option {
  static let passedThroughPrefix = "srun."

  /// The option's name in `srun`, or nil if it is an option of flowrun.
  var passedThrough: String? {
    name.hasPrefix(Self.passedThroughPrefix) ? String(name.dropFirst(Self.passedThroughPrefix.count)) : nil
  }

  /// True if the option's value may contain commas.
  var isList: Bool {
    ["constraint", "exclude", "gres", "nodelist", "partition"].contains(name) || passedThrough != nil && !value.isEmpty
  }
}

extension ExecutorAddress {
  /// The options of flowrun that have the same name in `srun`.
  private static let ownOptions = [
    "partition", "account", "qos", "constraint", "time", "mem", "gres", "nodelist", "exclude", "reservation",
  ]
  /// Options of `srun` that cannot be used: flowrun sets some of them itself, and others would disturb the worker's
  /// pipe or change its allocation.
  private static let refusedOptions = [
    "nodes", "ntasks", "cpus-per-task", "job-name", "comment", "mpi", "export", "export-file", "input", "output",
    "error", "label", "pty", "multi-prog", "quiet", "jobid", "overlap", "het-group", "no-allocate", "test-only",
    "chdir", "bcast", "nodefile", "help", "usage", "version", "wait", "array", "wrap", "parsable", "requeue",
    "no-requeue",
  ]
  /// Other options that set the job's memory. Slurm allows only one of them.
  private static let memoryOptions = ["mem-per-cpu", "mem-per-gpu"]

  /// The arguments of `srun` for the options that are passed to it unchanged.
  package var passedThrough: [String] {
    options.compactMap { option in
      option.passedThrough.map { "--\($0)" + (option.value.isEmpty ? "" : "=\(option.value)") }
    }
  }

  /// Throws if this is not the name of an option, or if the option must not be passed to `srun`. Abbreviations are
  /// rejected as well, because `srun` accepts them.
  func checkPassedThrough(_ name: String) throws(AddressProblem) {
    guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
      name.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || Self.isWordByte($0) })
    else {
      throw AddressProblem(message: "'srun.\(name)' does not name an option of srun", help: "write 'srun.licenses=a:1'")
    }
    if Self.memoryOptions.contains(name) {
      guard self["mem"] == nil else {
        throw AddressProblem(message: "'srun.\(name)' and 'mem' both say how much memory", help: "leave one out")
      }
      return
    }
    if let own = Self.ownOptions.first(where: { $0.hasPrefix(name) }) {
      throw AddressProblem(message: "'srun.\(name)' is an option of flowrun", help: "write '\(own)=…'")
    }
    if let refused = Self.refusedOptions.first(where: { $0.hasPrefix(name) }) {
      throw AddressProblem(
        message: "'srun.\(name)' cannot be given: flowrun needs srun's '--\(refused)' itself", help: "leave it out")
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// True if an option sets the memory of the job.
  var statesMemory: Bool {
    self["mem"] != nil || options.contains { Self.memoryOptions.contains($0.passedThrough ?? "") }
  }

  /// Throws if the value of an option does not have the form that Slurm requires.
  func checkSlurm() throws(AddressProblem) {
    for option in options where option.passedThrough == nil {
      let (name, value) = (option.name, option.value)
      switch name {
      case "time": _ = try Self.limit(value)
      case "wait":
        do throws(DurationText.DurationProblem) {
          _ = try DurationText.parse(value)
        } catch {
          throw AddressProblem(message: "wait=\(value) is not a duration", help: error.help)
        }
      case "mem":
        guard SlurmText.isMemory(value) else {
          throw AddressProblem(
            message: "mem=\(value) is not an amount of memory", help: "write a whole number with K, M, G or T: mem=4G")
        }
      case "gres":
        guard SlurmText.isDevices(value) else {
          throw AddressProblem(
            message: "gres=\(value) does not name devices", help: "write NAME:COUNT or NAME:TYPE:COUNT: gres=gpu:2")
        }
      case "worker", "per-node": break
      default:
        guard !value.contains(where: \.isWhitespace) else {
          throw AddressProblem(
            message: "\(name)=\(value) has a space in it", help: "write a name, or a list with commas")
        }
      }
    }
  }

  /// Parses a job's time limit, which is a duration or is written in Slurm's form.
  static func limit(_ text: String) throws(AddressProblem) -> Duration {
    if let limit = SlurmText.limit(text) { return limit }
    do throws(DurationText.DurationProblem) {
      return try DurationText.parse(text)
    } catch {
      throw AddressProblem(
        message: "time=\(text) is not a duration",
        help: error.help
          + (text.contains(":") || text.contains("-") ? "; Slurm's forms are H:MM:SS and D-HH:MM:SS" : ""))
    }
  }

  /// The time limit of the job, or nil if the address has none.
  package var timeLimit: Duration? { self["time"].flatMap { try? Self.limit($0) } }

  /// Completes the address of a step that has only Slurm options. The number of slots and missing options are taken
  /// from `general`, which is the address in `--on` or `defaults`.
  func completed(by general: ExecutorAddress) -> ExecutorAddress {
    guard name == Self.slurm, value == nil, general.name == Self.slurm else { return self }
    let others = general.options.filter { option in
      let isOfMemory = option.name == "mem" || Self.memoryOptions.contains(option.passedThrough ?? "")
      return self[option.name] == nil && !(statesMemory && isOfMemory)
    }
    let words = (options + others).map { $0.name + ($0.value.isEmpty ? "" : "=\($0.value)") }
    let text = ([Self.slurm + (general.value.map { "=\($0)" } ?? "")] + words).joined(separator: ",")
    return (try? ExecutorAddress(text)) ?? self
  }

  /// The default maximum numbers of slots: `plain` if some steps have no `resources`, and `ofJobs` if each step is a
  /// separate job.
  private static let usualSlots = (plain: 8, ofJobs: 50)

  /// Adds a number of slots to a Slurm address that has none: one for each step, and `parallel` for a fan-out, up to a
  /// default maximum.
  package func counting(_ steps: [StepOptions]) -> ExecutorAddress {
    guard name == Self.slurm, value == nil else { return self }
    let isPlain = steps.contains { $0.request == nil }
    let most = isPlain ? Self.usualSlots.plain : Self.usualSlots.ofJobs
    var count = 0
    for step in steps where count < most {
      if let fanOut = step.fanOut { count += fanOut.parallel ?? most } else { count += 1 }
    }
    var copy = self
    copy.value = String(max(1, min(most, count)))
    return copy
  }
}

extension ExecutorAddress {
  /// The memory of the job in Slurm's form, which has no `iB` after the unit: `4G` means 4 GiB. Nil if the address has
  /// none.
  package var memory: String? {
    self["mem"].map { $0.lowercased().hasSuffix("ib") ? String($0.dropLast(2)) : $0 }
  }
}
