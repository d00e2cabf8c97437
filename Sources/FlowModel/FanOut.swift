/// What a step is run for, once for each item (`foreach`).
public struct FanOut: Sendable, Hashable {
  /// Where the items come from.
  public enum Source: Sendable, Hashable {
    /// A list, an object or an expression that gives one; texts inside may hold `${{ }}`.
    case items(Value)
    /// The product of several lists, the first key turning slowest, without the combinations that `exclude` describes in
    /// part. Each object of `include` then adds its members to the combinations in which it changes no axis, or else is a
    /// combination of its own.
    case axes(ValueObject, exclude: [Value], include: [Value])
    /// The files that the patterns match when the step becomes ready; texts may hold `${{ }}`.
    case files([String])
    /// The posts of an event that repeats: an item each, until no more posts are possible.
    case posts(of: String)
  }

  /// Where the items come from.
  public var source: Source
  /// The number of items that run at once at most; nil: what threads and queues allow.
  public var parallel: Int?
  /// Whether the first item that fails ends the others.
  public var isFailFast = true
  /// The maximum of all items together, from the start of the first.
  public var deadline: Duration?

  /// The number of items, where that is known before a run.
  public var literalCount: Int? {
    switch source {
    case .items(.array(let values)): values.count
    case .items(.object(let members)): members.count
    case .items, .axes, .files, .posts: nil
    }
  }

  /// The event of whose posts the items are; nil: they are not posts.
  public var event: String? {
    if case .posts(let event) = source { event } else { nil }
  }

  /// Items from `source`, everything else at its default.
  public init(_ source: Source) { self.source = source }
}
