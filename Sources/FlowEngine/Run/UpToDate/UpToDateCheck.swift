import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowSecrets
import Synchronization

/// Whether a step, or an item of one, that says what it reads and makes need not run: everything is as it was when it last
/// succeeded.
final class UpToDateCheck: Sendable {
  /// Why a step runs.
  enum Reason: Sendable, Hashable {
    case never, forced, definition, values
    case input(String)
    case product(String)
    case tooManyProducts

    var text: String {
      switch self {
      case .never: "it has not succeeded here"
      case .forced: "it was named with --force"
      case .definition: "its definition has changed"
      case .values: "its inputs, its variables or the outputs of its dependencies have changed"
      case .input(let path): "'\(path)' has changed"
      case .product(let path): "'\(path)', which it produces, has changed since"
      case .tooManyProducts: "it produces more than \(Limits.watchedFiles) files"
      }
    }
  }

  /// The result of looking.
  enum Finding: Sendable {
    /// The outputs of last time.
    case upToDate(ValueObject)
    case runs(Reason)
    case fails(StepFailure)
  }

  /// What is known under the lock, where nothing of it is worked out.
  struct Basis: Sendable {
    /// What the workflow says of the step.
    var step: Step
    /// The folder of the included file in which it is written, named from the whole workflow's; empty: the same.
    var folder: String
    var inputs: ValueObject
    /// The variables that workflow and step state, evaluated.
    var variables: ValueObject
    /// The steps that it needs, and what they gave.
    var needs: [(id: StepID, outputs: ValueObject)]
    /// The patterns of the files where expressions give them.
    var patterns: [String] = []
  }

  /// The digests that a stamp is compared with, or what they are made of.
  enum Digests: Sendable {
    case basis(Basis)
    case known(definition: String, values: String)
  }

  /// Where a success is recorded.
  enum Place: Sendable {
    case step(StepID, dataFolder: String)
    case item(UInt64, ItemStamps)
  }

  private struct State {
    /// What the step reads, as it was before it ran.
    var inputs: [InputStamp] = []
    var (definition, values) = ("", "")
  }

  /// What messages call the step.
  private let name: String
  private let digests: Digests
  /// What it reads and makes.
  let files: StepFiles
  private let place: Place
  private let isForced: Bool
  private let mask: SecretMask?
  private let state = Mutex(State())

  init(_ name: String, _ digests: Digests, _ files: StepFiles, at place: Place, isForced: Bool, mask: SecretMask?) {
    self.name = name
    self.digests = digests
    self.files = files
    self.place = place
    self.isForced = isForced
    self.mask = mask
  }

  private var stamp: StepStamp? {
    switch place {
    case .step(let id, let dataFolder): StepStamp(of: id, in: dataFolder)
    case .item(let item, let stamps): stamps[item]
    }
  }

  /// Writes a stamp down; why that cannot be done, or nil.
  private func write(_ stamp: StepStamp) -> String? {
    switch place {
    case .step(let id, let dataFolder): stamp.write(of: id, in: dataFolder)
    case .item(let item, let stamps): stamps.write([(item, stamp)])
    }
  }

  /// Whether the step is up to date, and with which outputs. Reads files; not for the run's lock.
  ///
  /// - Parameters:
  ///   - recent: states that were looked up just before.
  ///   - now: nanoseconds of the clock by which they were.
  func result(_ recent: RecentStates? = nil, at now: Int = 0) -> Finding {
    var memo = FileMemo(in: files.folder, remembers: false)
    memo.recent = recent.map { ($0, now) }
    let (finding, renewed) = look(&memo)
    // Where that fails, files are read once more the next time.
    if let renewed { _ = write(renewed) }
    return finding
  }

  /// Whether the step is up to date, and what to record where it is and its files have other times than before.
  func look(_ memo: inout FileMemo) -> (finding: Finding, renewed: StepStamp?) {
    var stamp = stamp
    guard let now = InputStamp.all(files.reads, known: stamp?.inputs ?? [], &memo) else {
      return (
        .fails(
          StepFailure(
            code: "too-many-files", message: "'inputs-from' matches more than \(Limits.watchedFiles) files; name fewer")
        ),
        nil
      )
    }
    if let folder = now.first(where: { $0.bytes == InputStamp.folder }) {
      return (
        .fails(
          StepFailure(
            code: "not-a-file",
            message: "'inputs-from' names '\(folder.path)', which is a folder; for the files in it write "
              + "'\(folder.path)/**'")),
        nil
      )
    }
    let own =
      switch digests {
      case .basis(let basis): State(inputs: now, definition: basis.definition, values: basis.values)
      case .known(let definition, let values): State(inputs: now, definition: definition, values: values)
      }
    state.withLock { $0 = own }
    if stamp == nil { return (.runs(.never), nil) }
    var products: [InputStamp] = []
    if let reason = reason(stamp!, own, &products, &memo) { return (.runs(reason), nil) }
    let isRenewed = stamp!.inputs != now || stamp!.products != products
    do throws(SecretMask.MissingSecret) {
      let outputs = try mask == nil ? stamp!.outputs : SecretMask.filled(stamp!.outputs, by: mask)
      (stamp!.inputs, stamp!.products) = (now, products)
      return (.upToDate(outputs), isRenewed ? stamp : nil)
    } catch {
      return (.runs(.values), nil)
    }
  }

  private func reason(
    _ stamp: StepStamp, _ own: State, _ products: inout [InputStamp], _ memo: inout FileMemo
  ) -> Reason? {
    if isForced { return .forced }
    if stamp.definition != own.definition { return .definition }
    if stamp.values != own.values { return .values }
    if let path = Self.difference(stamp.inputs, own.inputs) { return .input(path) }
    guard let made = InputStamp.all(files.makes, known: stamp.products, &memo) else {
      return .tooManyProducts
    }
    products = made
    if let path = Self.difference(stamp.products, products) { return .product(path) }
    return products.first { $0.bytes < 0 }.map { .product($0.path) }
  }

  /// The first file that differs, or that only one of the lists has.
  private static func difference(_ before: [InputStamp], _ now: [InputStamp]) -> String? {
    if before.count == now.count {
      for (before, now) in zip(before, now) where !before.isSame(as: now) {
        return before.path == now.path ? now.path : min(before.path, now.path)
      }
      return nil
    }
    let paths = Set(before.map(\.path))
    let others = Set(now.map(\.path))
    return paths.symmetricDifference(others).min()
  }

  /// Notes that the step has succeeded with these outputs. Returns what went wrong, or nil.
  func noteSuccess(_ outputs: ValueObject) -> String? {
    var memo = FileMemo(in: files.folder, remembers: false)
    guard let products = InputStamp.all(files.makes, known: [], &memo) else {
      return "the files of step '\(name)' cannot be recorded: 'produces' matches more than \(Limits.watchedFiles) files"
    }
    if let folder = products.first(where: { $0.bytes == InputStamp.folder }) {
      return "step '\(name)' names '\(folder.path)' under 'produces', which is a folder, so it is never up to date; "
        + "for the files in it write '\(folder.path)/**'"
    }
    let own = state.withLock { $0 }
    let stamp = StepStamp(
      definition: own.definition, values: own.values, inputs: own.inputs, products: products,
      outputs: mask?.withPlaceholders(outputs) ?? outputs)
    return write(stamp).map { "the files of step '\(name)' cannot be recorded: \($0)" }
  }
}

extension UpToDateCheck.Basis {
  /// A digest of what decides what a step does, and of what it declares to read and to make.
  var definition: String {
    var digest = SHA256()
    let options = step.options
    var parts: [Value] = [
      .string(step.uses), .object(step.with), .object(options.environment), .string(options.condition ?? ""),
      .array(options.inputsFrom.map { .string($0) }), .array(options.produces.map { .string($0) }),
    ]
    // Its commands run there, so a success in another folder says nothing.
    if !folder.isEmpty { parts.append(.string(folder)) }
    digest.combine(JSONText.bytes(of: .array(parts)))
    return digest.finish()
  }

  /// A digest of the inputs, the variables and what the steps gave that it needs.
  var values: String {
    var digest = SHA256()
    digest.combine(JSONText.bytes(of: .object(inputs)))
    digest.combine(JSONText.bytes(of: .object(variables)))
    for need in needs {
      digest.combine(Array(need.id.text.utf8) + [0])
      digest.combine(JSONText.bytes(of: .object(need.outputs)))
    }
    for pattern in patterns { digest.combine(Array(pattern.utf8) + [0]) }
    return digest.finish()
  }
}
