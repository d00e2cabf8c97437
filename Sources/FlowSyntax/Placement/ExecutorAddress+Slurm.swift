import FlowDiagnostics
import FlowModel

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
    "chdir", "bcast", "nodefile", "help", "usage", "version", "wait", "array", "wrap", "parsable", "requeue",
    "no-requeue",
  ]
  /// Other ways to say how much memory, of which Slurm takes one.
  private static let memoryOptions = ["mem-per-cpu", "mem-per-gpu"]

  /// The words for `srun` that the address passes through.
  public var passedThrough: [String] {
    options.compactMap { option in
      option.passedThrough.map { "--\($0)" + (option.value.isEmpty ? "" : "=\(option.value)") }
    }
  }

  /// Throws when `srun` may not be given an option. It takes the beginning of a name for the name.
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

  /// Whether it says how much memory a job has.
  var statesMemory: Bool {
    self["mem"] != nil || options.contains { Self.memoryOptions.contains($0.passedThrough ?? "") }
  }

  /// Throws where a value has not the form that Slurm takes.
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

  /// The time limit of a job, as a duration or as Slurm writes it.
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

  /// The time limit of a job; nil: it has none of its own.
  public var timeLimit: Duration? { self["time"].flatMap { try? Self.limit($0) } }

  /// The address of a step that says how it runs on Slurm and leaves open how many run at once: the slots, and the
  /// options that it does not give, are those of `--on` or `defaults`.
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

  /// The most slots of an address that leaves them open.
  private static let usualSlots = (plain: 8, ofJobs: 50)

  /// The address with a number of slots where it leaves them open: one a step, and for fan-outs `parallel`, else as many as
  /// is usual.
  public func counting(_ steps: [StepOptions]) -> ExecutorAddress {
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
  /// The memory of an allocation, as Slurm takes it: its units are powers of 1024 without an `i`.
  public var memory: String? {
    self["mem"].map { $0.lowercased().hasSuffix("ib") ? String($0.dropLast(2)) : $0 }
  }
}
