import FlowDiagnostics
import FlowModel

/// An executor as written in `--on` and `executor:`, such as `slurm=8,partition=short,time=1h`. It consists of a name,
/// a number of slots or another value, and options after commas.
package struct ExecutorAddress: Sendable, Hashable {
  /// The name: `workers`, `slurm`, `local`, or that of a plugin with an executor.
  package var name: String
  /// The value after `=`, such as the number of slots, or nil.
  package var value: String?
  /// The options, in the order of the address.
  package var options: [Option]
  /// The text from which the address was parsed.
  package var text: String

  /// An option of an address, such as `time=1h`.
  package struct Option: Sendable, Hashable {
    /// The name of the option, before `=`.
    package var name: String
    /// The value of the option, after `=`.
    package var value: String
  }

  /// The reason why a string is not an address.
  package struct AddressProblem: Error, Sendable, Hashable {
    package var message: String
    /// A suggestion for fixing the address, or nil.
    package var help: String?
  }

  /// The name of the executor that runs steps in this process.
  package static let local = "local"
  /// The executor that starts processes on this machine.
  package static let workers = "workers"
  /// The executor that requests allocations from Slurm.
  package static let slurm = "slurm"
  /// The executors that can reserve the `resources` of steps.
  static let counting: Set<String> = [workers, slurm]
  /// A regular expression that editors use to check addresses.
  static let pattern = "^[a-z][a-z0-9]*(-[a-z0-9]+)*(=[^,]*)?(,([^=,]+=[^,]+(,[^=,]+)*|srun\\.[^=,]+))*$"
  /// The maximum number of slots of an executor.
  package static let mostSlots = 10_000

  /// The options that all executors have, including those of plugins.
  package static let commonOptions = ["files", "scratch", "worker"]
  /// The names of the options of each built-in executor.
  static let optionNames = [
    local: [], workers: ["processes"] + commonOptions,
    slurm: SlurmKey.addressOptions + commonOptions.filter { $0 != "worker" },
  ]

  /// Parses an address. Throws if it is invalid.
  package init(_ text: String) throws(AddressProblem) {
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

  /// The values of `files`: `shared` if workers share the workflow's folder, `copy` if files are copied to workers and
  /// back.
  static let fileModes = ["shared", "copy"]

  /// True if files are copied to workers and back.
  package var copiesFiles: Bool { self["files"] == "copy" }

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
    guard scratch.utf8.first == UInt8(ascii: "/") else {
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
      // A step's address may have only Slurm options. The number of slots is then added by ``counting(_:)``.
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

  /// Returns the value of an option, or nil if the address does not have the option.
  package subscript(option: String) -> String? { options.first { $0.name == option }?.value }

  /// The number of slots, 1 by default.
  package var slots: Int { value.flatMap { Int($0) } ?? 1 }
}
