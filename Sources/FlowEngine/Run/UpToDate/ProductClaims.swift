import FlowModel
import FlowPlatform
import FlowPluginKit
import Synchronization

/// The products that the steps and items of a run have claimed. It detects two steps or items that produce the same
/// file. The runs of items share the table of the outer run.
final class ProductClaims: Sendable {
  /// A step or item in one of several nested runs.
  struct Level: Sendable {
    var graph: WorkflowGraph
    var step: StepIndex
    var instance: StepIndex
  }

  /// A step or item, preceded by the items of the outer runs that contain it.
  final class Owner: Sendable {
    let name: String
    let levels: [Level]

    init(_ name: String, _ levels: [Level]) { (self.name, self.levels) = (name, levels) }
  }

  fileprivate struct Patterns {
    var owner: Owner
    var list: FilePatterns
    var folder: String
  }

  private struct State {
    var paths: [ByteName: Owner] = [:]
    var patterns: [Patterns] = []
  }

  private let state = Mutex(State())

  /// Claims the products of a step or item. Returns a failure if another step or item that may run at the same time
  /// produces the same file.
  func claim(_ makes: [NamedFiles], in folder: String, by owner: Owner) -> StepFailure? {
    var paths: [String] = []
    var isOpen = false
    for named in makes where !PatternText.isExclusion(named.pattern) {
      if let path = FilePattern.plainPath(named.pattern) {
        paths.append(Self.place(path, in: folder))
      } else {
        let pattern = FilePattern(named.pattern)
        if pattern.isOpen { isOpen = true } else { paths += pattern.normalized.map { Self.place($0, in: folder) } }
      }
    }
    let own = isOpen ? Patterns(owner: owner, list: FilePatterns(makes.map(\.pattern)), folder: folder) : nil
    let (others, taken) = state.withLock { state -> ([Patterns], (path: String, owner: Owner)?) in
      let others = state.patterns.filter { Self.relation(of: $0.owner, owner) == .unordered }
      for path in paths {
        if let other = state.paths[ByteName(path)], Self.relation(of: other, owner) != .ordered {
          return (others, (path, other))
        }
      }
      if let own {
        // A pattern conflicts only with existing files, because a file that does not exist may never be produced.
        for (path, other) in state.paths
        where own.covers(path.text) && Self.relation(of: other, owner) == .unordered && FilePath.exists(path.text) {
          return (others, (path.text, other))
        }
      }
      for path in paths { state.paths[ByteName(path)] = owner }
      if let own, !state.patterns.contains(where: { Self.isSame($0.owner, owner) }) { state.patterns.append(own) }
      return (others, nil)
    }
    if let taken { return Self.failure(taken.path, taken.owner, in: folder) }
    for other in others {
      if let path = paths.first(where: { other.covers($0) && FilePath.exists($0) }) {
        return Self.failure(path, other.owner, in: folder)
      }
      let files = own?.list.files(in: folder, limit: Limits.watchedFiles) ?? []
      if let path = files.lazy.map({ Self.place($0, in: folder) }).first(where: { other.covers($0) }) {
        return Self.failure(path, other.owner, in: folder)
      }
    }
    return nil
  }

  private static func failure(_ path: String, _ other: Owner, in folder: String) -> StepFailure {
    let name = FilePath.path(of: path, below: folder) ?? path
    return StepFailure(
      code: "same-product",
      message: "'\(other.name)' produces '\(name)', too; give them different paths, or let one of them need the other")
  }

  private static func place(_ path: String, in folder: String) -> String {
    FilePath.place(of: path, in: folder)
  }

  // MARK: Order

  private enum Relation {
    /// Both are the same step or item, or one of the two runs after the other.
    case ordered
    /// Both are items of the same step, for which workflows run. Their patterns may match each other's files.
    case items
    case unordered
  }

  private static func relation(of first: Owner, _ second: Owner) -> Relation {
    for (depth, (one, other)) in zip(first.levels, second.levels).enumerated() where one.instance != other.instance {
      // Items of a step that produce the same file are detected when the items are determined.
      if one.step == other.step { return depth == first.levels.count - 1 ? .ordered : .items }
      return comes(one.step, after: other.step, in: one.graph) || comes(other.step, after: one.step, in: one.graph)
        ? .ordered : .unordered
    }
    return .ordered
  }

  private static func isSame(_ first: Owner, _ second: Owner) -> Bool {
    first.levels.map(\.instance) == second.levels.map(\.instance)
  }

  private static func comes(_ step: StepIndex, after other: StepIndex, in graph: WorkflowGraph) -> Bool {
    var open = [step]
    var seen: Set<StepIndex> = []
    while let current = open.popLast() {
      for need in graph.workflow.steps[Int(current)].needs where seen.insert(need).inserted {
        if need == other { return true }
        open.append(need)
      }
    }
    return false
  }
}

extension ProductClaims.Patterns {
  fileprivate func covers(_ path: String) -> Bool {
    if list.covers(path) { return true }
    return FilePath.path(of: path, below: folder).map(list.covers) ?? false
  }
}
