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

    var text: String {
      switch self {
      case .never: "it has not succeeded here"
      case .forced: "it was named with --force"
      case .definition: "the workflow says something else of it"
      case .values: "its inputs, its variables or what the steps gave that it needs are others"
      case .input(let path): "'\(path)' has changed"
      case .product(let path): "'\(path)', which it makes, is not as it left it"
      }
    }
  }

  private let step: StepID
  private let definition: String
  private let values: String
  private let reads: [String]
  private let makes: [String]
  private let dataFolder: String
  private let folder: String
  private let isForced: Bool
  private let mask: SecretMask?
  /// What the step reads, as it was before it ran.
  private let inputs = Mutex<[FileMark]>([])

  init(
    _ step: StepID, definition: String, values: String, options: StepOptions, dataFolder: String, folder: String,
    isForced: Bool, mask: SecretMask?
  ) {
    self.step = step
    self.definition = definition
    self.values = values
    reads = options.inputsFrom
    makes = options.produces
    self.dataFolder = dataFolder
    self.folder = folder
    self.isForced = isForced
    self.mask = mask
  }

  /// What the step gave when it last succeeded, where nothing has changed since; else why it runs.
  func result() -> Result<ValueObject, Mismatch> {
    let mark = StepMark(of: step, in: dataFolder)
    let now = FileMark.all(reads, in: folder, known: mark?.inputs ?? [])
    inputs.withLock { $0 = now }
    guard let mark else { return .failure(Mismatch(reason: .never)) }
    if let reason = reason(mark, now) { return .failure(Mismatch(reason: reason)) }
    do throws(SecretMask.MissingSecret) {
      return .success(try mask == nil ? mark.outputs : SecretMask.filled(mark.outputs, by: mask))
    } catch {
      return .failure(Mismatch(reason: .values))
    }
  }

  struct Mismatch: Error { var reason: Reason }

  private func reason(_ mark: StepMark, _ now: [FileMark]) -> Reason? {
    if isForced { return .forced }
    if mark.definition != definition { return .definition }
    if mark.values != values { return .values }
    if let path = Self.difference(mark.inputs, now) { return .input(path) }
    let products = FileMark.all(makes, in: folder, known: mark.products)
    if let path = Self.difference(mark.products, products) { return .product(path) }
    return products.first { $0.bytes < 0 }.map { .product($0.path) }
  }

  /// The first file that is another, or that only one of the lists has.
  private static func difference(_ before: [FileMark], _ now: [FileMark]) -> String? {
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
    let mark = StepMark(
      definition: definition, values: values, inputs: inputs.withLock { $0 },
      products: FileMark.all(makes, in: folder, known: []), outputs: mask?.marked(outputs) ?? outputs)
    return mark.write(of: step, in: dataFolder).map { "what step '\(step)' made cannot be noted: \($0)" }
  }
}
