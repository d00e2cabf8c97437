import FlowDiagnostics
import FlowModel

/// Where steps are sent, as `--on` and `executor:` write it: a name, how many slots or where, and options behind
/// commas, such as `slurm=8,partition=short,time=1h`.
public struct ExecutorAddress: Sendable, Hashable {
  /// The executor: `workers`, `slurm`, `local`, or the name of a plugin that is one.
  public var name: String
  /// What is behind the name's `=`; nil: nothing.
  public var value: String?
  /// The options, in order.
  public var options: [Option]
  /// All of it as it was written.
  public var text: String

  /// One option.
  public struct Option: Sendable, Hashable {
    /// What is before `=`.
    public var name: String
    /// What is behind it.
    public var value: String
  }

  /// Why a text is not an address.
  public struct AddressProblem: Error, Sendable, Hashable {
    /// What is wrong.
    public var message: String
    /// What to write.
    public var help: String?
  }

  /// Keeps a step here.
  public static let local = "local"
  /// Processes of this machine.
  public static let workers = "workers"
  /// Allocations of Slurm.
  public static let slurm = "slurm"
  /// Those at which steps with `resources` get what they ask for.
  static let counting: Set<String> = [workers, slurm]
  /// What an address looks like, for editors.
  static let pattern = "^[a-z][a-z0-9]*(-[a-z0-9]+)*(=[^,]*)?(,([^=,]+=[^,]+(,[^=,]+)*|srun\\.[^=,]+))*$"
  /// The most slots of one executor.
  public static let mostSlots = 10_000

  /// The options of all executors, plugins included.
  public static let commonOptions = ["files", "scratch", "worker"]
  /// The options of the executors that come with flowrun.
  static let optionNames = [
    local: [], workers: ["processes"] + commonOptions,
    slurm: SlurmKey.addressOptions + commonOptions.filter { $0 != "worker" },
  ]

  /// Reads an address; throws what is wrong with it.
  public init(_ text: String) throws(AddressProblem) {
    self.text = text
    var parts = text.parts(separatedBy: ",")[...]
    (name, value) = parts.removeFirst().parted(at: "=")
    options = []
    guard NameKind.plugin.allows(name) else {
      throw AddressProblem(
        message: "'\(text)' does not start with the name of an executor",
        help: "write 'workers=4', 'slurm=8' or 'local'")
    }
    for part in parts {
      if let last = options.indices.last, options[last].isList, !part.isEmpty, !part.contains("="),
        !part.hasPrefix(Option.passedThroughPrefix)
      {
        options[last].value += "," + part
        continue
      }
      if name == Self.slurm, !part.contains("="), part.hasPrefix(Option.passedThroughPrefix) {
        options.append(Option(name: part, value: ""))
        continue
      }
      guard case (let name, let value?) = part.parted(at: "="), !name.isEmpty, !value.isEmpty else {
        throw AddressProblem(
          message: "'\(part)' is not an option of an executor", help: "write NAME=VALUE after the comma")
      }
      guard !options.contains(where: { $0.name == name }) else {
        throw AddressProblem(message: "the option '\(name)' is given twice", help: "leave one out")
      }
      options.append(Option(name: name, value: value))
    }
    try check()
  }

  /// What `files` may say: the workers see the workflow's folder, or files are copied to them and back.
  static let fileModes = ["shared", "copy"]

  /// Whether files are copied to the workers and back.
  public var copiesFiles: Bool { self["files"] == "copy" }

  private func checkFiles() throws(AddressProblem) {
    if let mode = self["files"], !Self.fileModes.contains(mode) {
      throw AddressProblem(
        message: "files=\(mode) is not a way to share files",
        help: "write 'files=copy' for workers without the workflow's folder")
    }
    guard let scratch = self["scratch"] else { return }
    guard copiesFiles else {
      throw AddressProblem(
        message: "'scratch' is for 'files=copy' alone", help: "write 'files=copy', or leave 'scratch' out")
    }
    guard scratch.hasPrefix("/") else {
      throw AddressProblem(
        message: "scratch=\(scratch) is not an absolute path", help: "write the path that the workers know")
    }
  }

  private func check() throws(AddressProblem) {
    if name != Self.local { try checkFiles() }
    guard let known = Self.optionNames[name] else { return }
    for option in options where !known.contains(option.name) {
      if name == Self.slurm, let passed = option.passedThrough {
        try checkPassedThrough(passed)
        continue
      }
      throw AddressProblem(
        message: "'\(name)' has no option '\(option.name)'",
        help: NearestName.question(option.name, among: known)
          ?? (known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"))
    }
    switch name {
    case Self.local:
      guard value == nil else { throw AddressProblem(message: "'local' takes no value", help: "write 'local'") }
    default:
      // Steps that say how they run on Slurm may leave open how many do: see `counting`.
      if name != Self.slurm || value != nil || options.isEmpty {
        _ = try count(value ?? "", "slots", of: "\(name)=4", 1...Self.mostSlots)
      }
      if name == Self.slurm { try checkSlurm() }
      for option in ["processes", "per-node"] {
        if let text = self[option] { _ = try count(text, option, of: "\(option)=2", 1...Self.mostSlots) }
      }
    }
  }

  private func count(
    _ text: String, _ what: String, of example: String, _ range: ClosedRange<Int>
  ) throws(AddressProblem) -> Int {
    guard let count = Int(text), range.contains(count) else {
      throw AddressProblem(
        message: text.isEmpty
          ? "'\(name)' needs the number of its \(what)"
          : "'\(text)' is not a number of \(what) from \(range.lowerBound) to \(range.upperBound)",
        help: "write '\(example)'")
    }
    return count
  }

  /// The value of an option; nil: it is not given.
  public subscript(option: String) -> String? { options.first { $0.name == option }?.value }

  /// The number behind the name; 1 where none is there.
  public var slots: Int { value.flatMap { Int($0) } ?? 1 }
}
