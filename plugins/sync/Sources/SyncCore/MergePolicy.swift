/// What an app says about its own states, so that this module can choose between them without knowing them.
public protocol MergePolicy: Sendable {
  /// How far apart two writes may be and still be concurrent; at exactly this distance they are (F4, S18, C13).
  var windowMilliseconds: Int64 { get }

  /// The rank of a state among its competitors, measured at one common instant (F16).
  func standing(of entry: Entry, atMilliseconds reference: Int64) -> Standing

  /// Nil when a write fits the record's type; otherwise what is wrong with it, named by field.
  func problem(with write: Write, for key: RecordKey) -> String?

  /// Nil when a whole cell that is returned fits the record's type; otherwise what is wrong with it.
  func problem(with cell: Cell, for key: RecordKey) -> String?

  /// The collection of which records of this type are an older form: how the zone decides that collection holds for them
  /// too. Nil for none.
  func collection(storing type: String) -> String?

  /// This policy with another rule that decides.
  func deciding(by rule: DecideRule) -> any MergePolicy
}

extension MergePolicy {
  /// None.
  public func collection(storing type: String) -> String? { nil }

  /// The same: it has no such rule.
  public func deciding(by rule: DecideRule) -> any MergePolicy { self }
}

/// A state's place in the order that decides between concurrent ones.
public struct Standing: Hashable, Sendable {
  /// The higher one counts.
  public var priority: Int
  /// Of equal priority the one with less left counts; 0 where nothing runs out.
  public var remainingMilliseconds: Int64

  /// Makes a standing.
  public init(priority: Int, remainingMilliseconds: Int64 = 0) {
    self.priority = priority
    self.remainingMilliseconds = remainingMilliseconds
  }
}

/// What decided a conflict.
public enum ConflictRule: String, Hashable, Sendable, CaseIterable {
  /// The author of the winner had seen the loser.
  case causal
  /// The loser is further back than the window: the newest wins.
  case lww
  /// The winner's kind has the higher priority.
  case priority
  /// The winner has less time left.
  case remaining
  /// Everything else is equal and the winner is newer.
  case newest
  /// Even the stamps are equal: the larger device name.
  case device
}
