import FlowModel
import FlowSystem
import Synchronization

/// Whether a step that says what it reads and makes need not run: everything is as it was when it last succeeded.
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
      case .definition: "the workflow says something else of it"
      case .values: "its inputs, its variables or what the steps gave that it needs are others"
      case .input(let path): "'\(path)' has changed"
      case .product(let path): "'\(path)', which it makes, is not as it left it"
      case .tooManyProducts: "it makes more than \(Limits.watchedFiles) files"
      }
    }
  }

  /// What comes of looking.
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
  }

  private struct State {
    /// What the step reads, as it was before it ran.
    var inputs: [InputStamp] = []
    var (definition, values) = ("", "")
  }

  private let basis: Basis
  /// What its stamp is called.
  private let id: StepID
  private let reads: [String]
  private let makes: [String]
  private let dataFolder: String
  private let folder: String
  private let isForced: Bool
  private let mask: SecretMask?
  private let state = Mutex(State())

  init(_ basis: Basis, id: StepID, dataFolder: String, folder: String, isForced: Bool, mask: SecretMask?) {
    self.basis = basis
    self.id = id
    reads = basis.step.options.inputsFrom
    makes = basis.step.options.produces
    self.dataFolder = dataFolder
    self.folder = folder
    self.isForced = isForced
    self.mask = mask
  }

  /// Whether the step is up to date, and with which outputs. Reads files; not for the run's lock.
  func result() -> Finding {
    let stamp = StepStamp(of: id, in: dataFolder)
    guard let now = InputStamp.all(reads, in: folder, known: stamp?.inputs ?? []) else {
      return .fails(
        StepFailure(
          code: "too-many-files", message: "'inputs-from' means more than \(Limits.watchedFiles) files; name fewer"))
    }
    let own = State(inputs: now, definition: basis.definition, values: basis.values)
    state.withLock { $0 = own }
    guard let stamp else { return .runs(.never) }
    if let reason = reason(stamp, own) { return .runs(reason) }
    do throws(SecretMask.MissingSecret) {
      return .upToDate(try mask == nil ? stamp.outputs : SecretMask.filled(stamp.outputs, by: mask))
    } catch {
      return .runs(.values)
    }
  }

  private func reason(_ stamp: StepStamp, _ own: State) -> Reason? {
    if isForced { return .forced }
    if stamp.definition != own.definition { return .definition }
    if stamp.values != own.values { return .values }
    if let path = Self.difference(stamp.inputs, own.inputs) { return .input(path) }
    guard let products = InputStamp.all(makes, in: folder, known: stamp.products) else { return .tooManyProducts }
    if let path = Self.difference(stamp.products, products) { return .product(path) }
    return products.first { $0.bytes < 0 }.map { .product($0.path) }
  }

  /// The first file that is another, or that only one of the lists has.
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
    let step = basis.step.id
    guard let products = InputStamp.all(makes, in: folder, known: []) else {
      return "what step '\(step)' made cannot be noted: 'produces' means more than \(Limits.watchedFiles) files"
    }
    let own = state.withLock { $0 }
    let stamp = StepStamp(
      definition: own.definition, values: own.values, inputs: own.inputs, products: products,
      outputs: mask?.withPlaceholders(outputs) ?? outputs)
    return stamp.write(of: id, in: dataFolder).map { "what step '\(step)' made cannot be noted: \($0)" }
  }
}

extension UpToDateCheck.Basis {
  /// A digest of what decides what a step does, and of what it declares to read and to make.
  fileprivate var definition: String {
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
  fileprivate var values: String {
    var digest = SHA256()
    digest.combine(JSONText.bytes(of: .object(inputs)))
    digest.combine(JSONText.bytes(of: .object(variables)))
    for need in needs {
      digest.combine(Array(need.id.text.utf8) + [0])
      digest.combine(JSONText.bytes(of: .object(need.outputs)))
    }
    return digest.finish()
  }
}
