import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowSecrets
import Synchronization

/// Checks whether a step or item that declares files is up to date, because nothing has changed since it last
/// succeeded.
final class UpToDateCheck: Sendable {
  /// The reason why a step is not up to date.
  enum Reason: Sendable, Hashable {
    case never, forced, definition, values
    case input(String)
    case product(String)
    case missingProduct(String)
    case neverMade(String)
    case failedAttempt
    case tooManyProducts
    case temporary(String)

    var text: String {
      switch self {
      case .never: "it has not succeeded here"
      case .forced: "it was named with --force"
      case .definition: "its definition has changed"
      case .values: "its inputs, its variables or the outputs of its dependencies have changed"
      case .input(let path): "'\(path)' has changed"
      case .product(let path): "'\(path)', which it produces, has changed since"
      case .missingProduct(let path): "'\(path)', which it produces, is missing"
      case .neverMade(let path): "'\(path)', which it produces, has never existed"
      case .failedAttempt: "its last attempt did not succeed and left files that it produces"
      case .temporary(let path): "a step that must run reads '\(path)', which is temporary and was removed"
      case .tooManyProducts: "it produces more than \(Limits.watchedFiles) files"
      }
    }
  }

  enum Finding: Sendable {
    /// The step is up to date. These are the outputs of its last success.
    case upToDate(ValueObject)
    case runs(Reason)
    case fails(StepFailure)
  }

  /// The data for the digests. It is collected under the run's lock and hashed later.
  struct Basis: Sendable {
    var step: Step
    /// The folder of the included file that contains the step, relative to the main workflow's folder. Empty if both
    /// are the same.
    var folder: String
    var inputs: ValueObject
    /// The evaluated variables of the workflow and the step.
    var variables: ValueObject
    /// The dependencies of the step, with their outputs.
    var needs: [(id: StepID, outputs: ValueObject)]
    /// The evaluated patterns of the files. Empty if none contains an expression.
    var patterns: [String] = []
  }

  /// The digests that are compared with the record, or the data from which they are computed.
  enum Digests: Sendable {
    case basis(Basis)
    case known(definition: String, values: String)
  }

  /// The place where the record is stored.
  enum Place: Sendable {
    case step(StepID, dataFolder: String)
    case item(UInt64, ItemStamps)
  }

  private struct State {
    /// The files that the step reads, in their states before it ran.
    var inputs: [InputStamp] = []
    var (definition, values) = ("", "")
    /// The products that failed attempts have left.
    var left: [InputStamp] = []
    /// The time of the check on the clock of the file system, or 0 before the check.
    var lookedNanoseconds = 0
    var notes: [String] = []
    /// The paths of the products. Set once the step has succeeded or is up to date.
    var made: [String] = []
    /// The temporary products that exist.
    var temporary: [InputStamp] = []
    /// The temporary products that were removed.
    var gone: [InputStamp] = []
  }

  private let name: String
  private let digests: Digests
  let reads: [NamedFiles]
  let makes: [NamedFiles]
  let folder: String
  private let place: Place
  private let isForced: Bool
  private let mask: SecretMask?
  private let makers: ProductTable?
  private let lent: LentFiles?
  private let state = Mutex(State())

  init(
    _ name: String, _ digests: Digests, reads: [NamedFiles], makes: [NamedFiles], in folder: String, at place: Place,
    isForced: Bool, mask: SecretMask?, makers: ProductTable?, lent: LentFiles? = nil
  ) {
    self.lent = lent
    self.name = name
    self.digests = digests
    self.reads = reads
    self.makes = makes
    self.folder = folder
    self.place = place
    self.isForced = isForced
    self.mask = mask
    self.makers = makers
  }

  /// The files that the step reads and produces, as executors need them.
  var files: StepFiles { StepFiles(reads: reads.map(\.pattern), makes: makes.map(\.pattern), folder: folder) }

  /// The paths of the products. Empty until the step has succeeded or is up to date.
  var madePaths: [String] { state.withLock { $0.made } }

  /// The temporary products that exist, and those that were removed. Empty until the step has succeeded or is up to
  /// date.
  var temporaryFiles: (existing: [InputStamp], gone: [InputStamp]) { state.withLock { ($0.temporary, $0.gone) } }

  /// The warnings about files that the last check found.
  var notes: [String] { state.withLock { $0.notes } }

  private var stamp: StepStamp? {
    switch place {
    case .step(let id, let dataFolder): StepStamp(of: id, in: dataFolder)
    case .item(let item, let stamps): stamps[item]
    }
  }

  /// Writes a record. Returns an error message if that failed, otherwise nil.
  private func write(_ stamp: StepStamp) -> String? {
    switch place {
    case .step(let id, let dataFolder): stamp.write(of: id, in: dataFolder)
    case .item(let item, let stamps): stamps.write([(item, stamp)])
    }
  }

  /// Checks whether the step is up to date. It reads files, so it must be called outside the run's lock.
  ///
  /// - Parameters:
  ///   - recent: The states of files that were read a moment ago, or nil if there are none.
  ///   - now: The current time on the run's clock, in nanoseconds.
  func result(_ recent: RecentStates? = nil, at now: Int = 0) -> Finding {
    var memo = FileMemo(in: folder, remembers: false)
    memo.recent = recent.map { ($0, now) }
    let (finding, renewed) = look(&memo)
    // If writing fails, the next check only has to read the files again.
    if let renewed { _ = write(renewed) }
    return finding
  }

  /// Checks whether the step is up to date. If only the times of files have changed, also returns a record to write.
  func look(_ memo: inout FileMemo) -> (finding: Finding, renewed: StepStamp?) {
    let recorded = stamp
    var stamp = recorded?.isOfFailure == true ? nil : recorded
    let found = FileLook(reads, known: stamp?.inputs ?? [], &memo, lent: lent)
    let (finding, renewed) = look(found, recorded, &stamp, &memo)
    if case .runs = finding, let path = found.lentPaths.first { return (.fails(.removedFile(path)), nil) }
    return (finding, renewed)
  }

  private func look(
    _ found: FileLook, _ recorded: StepStamp?, _ stamp: inout StepStamp?, _ memo: inout FileMemo
  ) -> (finding: Finding, renewed: StepStamp?) {
    if let failure = failure(found) { return (.fails(failure), nil) }
    let now = found.stamps
    var own =
      switch digests {
      case .basis(let basis): State(inputs: now, definition: basis.definition, values: basis.values)
      case .known(let definition, let values): State(inputs: now, definition: definition, values: values)
      }
    if let recorded, recorded.isOfFailure { own.left = recorded.products }
    own.lookedNanoseconds = FileState.nowNanoseconds
    own.notes = found.notes(on: "inputs-from", of: name)
    state.withLock { [own] in $0 = own }
    if stamp == nil { return (.runs(recorded == nil ? .never : .failedAttempt), nil) }
    var products: [InputStamp] = []
    if let reason = reason(stamp!, own, &products, &memo) { return (.runs(reason), nil) }
    let isRenewed = stamp!.inputs != now || stamp!.products != products
    do throws(SecretMask.MissingSecret) {
      let outputs = try mask == nil ? stamp!.outputs : SecretMask.filled(stamp!.outputs, by: mask)
      (stamp!.inputs, stamp!.products) = (now, products)
      let (made, gone) = (stamp!.productPaths, gone(stamp!.products, &memo))
      let temporary = TemporaryNames(makes).filter(products)
      state.withLock { state in
        (state.made, state.gone) = (made, gone)
        state.temporary = temporary.filter { file in !gone.contains { $0.path == file.path } }
      }
      return (.upToDate(outputs), isRenewed ? stamp : nil)
    } catch {
      return (.runs(.values), nil)
    }
  }

  /// Returns a failure if files that the step reads are missing or too many, or if a path names a folder; otherwise
  /// nil.
  private func failure(_ found: FileLook) -> StepFailure? {
    if found.isFull {
      return StepFailure(
        code: "too-many-files", message: "'inputs-from' matches more than \(Limits.watchedFiles) files; name fewer")
    }
    if let path = found.excludedFolder { return .excludedFolder(path, in: "inputs-from") }
    if let path = found.stamps.first(where: { $0.bytes == InputStamp.folder })?.path {
      return StepFailure(
        code: "not-a-file",
        message: "'inputs-from' names '\(path)', which is a folder; for the files in it write '\(path)/**'")
    }
    if let path = found.missing, makers?.mayMake(path, in: folder) != true {
      return StepFailure(
        code: "missing-input",
        message: "'inputs-from' names '\(path)', which does not exist; correct the path, or write "
          + "'{ path: \(path), required: false }' if it may be missing")
    }
    return found.unmatched.map {
      StepFailure(code: "missing-input", message: "'\($0)' of 'inputs-from' is required, but matches no file")
    }
  }

  private func reason(
    _ stamp: StepStamp, _ own: State, _ products: inout [InputStamp], _ memo: inout FileMemo
  ) -> Reason? {
    if isForced { return .forced }
    if stamp.definition != own.definition { return .definition }
    if stamp.values != own.values { return .values }
    if let path = Self.difference(stamp.inputs, own.inputs) { return .input(path) }
    let made = FileLook(makes.map(\.lookedFor), known: stamp.products, &memo)
    if made.isFull { return .tooManyProducts }
    products = TemporaryNames(makes).restored(made.stamps, as: stamp.products)
    if let path = made.missing ?? made.unmatched {
      let isNew = stamp.products.allSatisfy { $0.path != path || $0.bytes < 0 }
      return isNew && (made.missing != nil || stamp.products.isEmpty) ? .neverMade(path) : .missingProduct(path)
    }
    return Self.difference(stamp.products, products).map { .product($0) }
  }

  /// Returns the temporary products that do not exist.
  private func gone(_ products: [InputStamp], _ memo: inout FileMemo) -> [InputStamp] {
    TemporaryNames(makes).filter(products).filter { !memo.exists($0.path) }
  }

  /// Returns the first file that differs or is in only one of the two lists, or nil if there is none.
  private static func difference(_ before: [InputStamp], _ now: [InputStamp]) -> String? {
    if before.count == now.count {
      for (before, now) in zip(before, now) where !before.isSame(as: now) {
        return min(ByteName(before.path), ByteName(now.path)).text
      }
      return nil
    }
    let paths = Set(before.map { ByteName($0.path) })
    let others = Set(now.map { ByteName($0.path) })
    return paths.symmetricDifference(others).min()?.text
  }

  /// The problems found when the files of a step were checked at its end.
  struct Ending {
    /// The failure of the step, or nil if its files are in order.
    var failure: StepFailure?
    var warnings: [String] = []
  }

  /// The first path that must exist but does not, or the first pattern that must match a file but matches none. Nil if
  /// there is none.
  var missingProduct: String? {
    if makes.allSatisfy({ $0.need == .never }) { return nil }
    var memo = FileMemo(in: folder, remembers: false)
    for named in makes where named.need != .never && !PatternText.isExclusion(named.pattern) {
      let (found, isPath) = memo.files(named.pattern, limit: 0)
      if isPath {
        if let path = found.paths.first, !memo.exists(path) { return path }
      } else if named.need == .always, found.paths.isEmpty {
        return PatternText.shown(named.pattern)
      }
    }
    return nil
  }

  /// Records that the step has succeeded with these outputs, if all of its products exist and can be recorded.
  ///
  /// - Parameter turn: The attempt's permission to record products.
  func noteSuccess(_ outputs: ValueObject, _ turn: RecordTurn) -> Ending {
    var memo = FileMemo(in: folder, remembers: false)
    let made = FileLook(makes, known: [], &memo)
    var ending = Ending(warnings: made.notes(on: "produces", of: name))
    if made.isFull {
      ending.warnings.append(
        "the files of step '\(name)' cannot be recorded: 'produces' matches more than \(Limits.watchedFiles) files")
      return ending
    }
    if let path = made.excludedFolder {
      ending.failure = .excludedFolder(path, in: "produces")
      return ending
    }
    if let path = made.missing ?? made.unmatched {
      ending.failure = StepFailure(
        code: "missing-product",
        message: made.missing == nil
          ? "'\(path)' of 'produces' is required, but the step has made no such file"
          : "'produces' names '\(path)', but the step has not made it")
      return ending
    }
    if let folder = made.stamps.first(where: { $0.bytes == InputStamp.folder }) {
      ending.warnings.append(
        "step '\(name)' names '\(folder.path)' under 'produces', which is a folder, so it is never up to date; "
          + "for the files in it write '\(folder.path)/**'")
      return ending
    }
    let own = state.withLock { state in
      state.made = made.stamps.filter { $0.bytes >= 0 }.map(\.path)
      state.temporary = TemporaryNames(makes).filter(made.stamps)
      state.gone = []
      return state
    }
    let isLeft = made.stamps.first { stamp in own.left.contains { $0.path == stamp.path && $0.hasState(of: stamp) } }
    if let path = isLeft?.path {
      ending.failure = StepFailure(
        code: "missing-product",
        message: "'produces' names '\(path)', which an attempt that did not succeed has left, and the step has not "
          + "made it again; remove it, or let the command write it")
      return ending
    }
    // Record nothing, because other steps may still produce files that match a pattern without matches.
    if !made.idle.isEmpty { return ending }
    let stamp = StepStamp(
      definition: own.definition, values: own.values, inputs: own.inputs, products: made.stamps,
      outputs: mask?.withPlaceholders(outputs) ?? outputs)
    if let problem = turn.callIfNewest({ write(stamp) }) {
      ending.warnings.append("the files of step '\(name)' cannot be recorded: \(problem)")
    }
    return ending
  }

  /// Records the products that a failed attempt has changed, so that they do not count as products of a success.
  ///
  /// - Parameters:
  ///   - attempt: The id of the attempt.
  ///   - turn: The attempt's permission to record products.
  func noteFailure(_ attempt: String, _ turn: RecordTurn) {
    let own = state.withLock { $0 }
    guard own.lookedNanoseconds > 0, turn.isOpen else { return }
    var memo = FileMemo(in: folder, remembers: false)
    let changed = memo.products(makes, since: own.lookedNanoseconds)
    var left = own.left.filter { old in !changed.contains { $0.path == old.path } && memo.isAsItWas(old) }
    left += changed
    guard !left.isEmpty else { return }
    // If writing fails, the content of the files still shows that they are not from the last success.
    turn.callIfNewest { write(StepStamp(ofFailure: attempt, left: left)) }
  }
}

extension UpToDateCheck.Basis {
  /// A digest of the properties that determine the step's behavior, and of the files that it declares.
  var definition: String {
    var digest = SHA256()
    let options = step.options
    var parts: [Value] = [
      .string(step.uses), .object(step.with), .object(options.environment), .string(options.condition ?? ""),
      .array(options.inputsFrom.map { .string($0.pattern) }), .array(options.produces.map { .string($0.pattern) }),
    ]
    // Commands run in the folder of their file, so a success in another folder does not count.
    if !folder.isEmpty { parts.append(.string(folder)) }
    digest.combine(JSONText.bytes(of: .array(parts)))
    return digest.finish()
  }

  /// A digest of the step's inputs, its variables and the outputs of its dependencies.
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
