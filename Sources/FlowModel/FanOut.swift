/// The items of a step that runs once for each of them (`foreach`).
public struct FanOut: Sendable, Hashable {
  /// The source of the items.
  public enum Source: Sendable, Hashable {
    /// A list, an object or an expression for one of these; texts inside may contain `${{ }}`.
    case items(Value)
    /// The product of several lists, in which the first key varies slowest, without the combinations that match an
    /// object of `exclude`. Each object of `include` adds its members to the combinations whose axes it does not
    /// change. If there are none, it becomes a separate combination.
    case axes(ValueObject, exclude: [Value], include: [Value])
    /// The files that match the patterns when the step becomes ready; patterns may contain `${{ }}`.
    case files([String])
    /// The posts of a repeating event, one item each, until no more posts are possible.
    case posts(of: String)
  }

  /// The source of the items.
  public var source: Source
  /// The maximum number of items that run at the same time, or nil for no limit besides threads and queues.
  public var parallel: Int?
  /// True if the first failed item ends the others.
  public var isFailFast = true
  /// The time limit of all items together, from the start of the first.
  public var deadline: Duration?

  /// The number of items if it is known before the run, or nil.
  public var literalCount: Int? {
    switch source {
    case .items(.array(let values)): values.count
    case .items(.object(let members)): members.count
    case .items, .axes, .files, .posts: nil
    }
  }

  /// The event whose posts are the items, or nil for other sources.
  public var event: String? {
    if case .posts(let event) = source { event } else { nil }
  }

  /// Creates a fan-out with default options.
  public init(_ source: Source) { self.source = source }
}
