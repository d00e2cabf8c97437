/// The items of a step that runs once for each of them (`foreach`).
package struct FanOut: Sendable, Hashable {
  /// The source of the items.
  package enum Source: Sendable, Hashable {
    /// A list, an object, or an expression for one. Strings in it may contain `${{ }}`.
    case items(Value)
    /// All combinations of several lists, where the first key changes most slowly, without those that match an object
    /// in `exclude`. An object in `include` adds its members to the combinations whose axes it does not change; if
    /// there are none, it becomes a separate combination.
    case axes(ValueObject, exclude: [Value], include: [Value])
    /// The files that match these patterns when the step becomes ready. Patterns may contain `${{ }}`.
    case files([String])
    /// The posts of a repeating event, as long as more of them are possible.
    case posts(of: String)
  }

  /// The source of the items.
  package var source: Source
  /// The maximum number of items that run at the same time, or nil if only threads and queues limit it.
  package var parallel: Int?
  /// True if the other items end when one fails.
  package var isFailFast = true
  /// The time limit for all items, from the start of the first, or nil.
  package var deadline: Duration?

  /// The number of items, or nil if it is not known before the run.
  package var literalCount: Int? {
    switch source {
    case .items(.array(let values)): values.count
    case .items(.object(let members)): members.count
    case .items, .axes, .files, .posts: nil
    }
  }

  /// The event whose posts are the items, or nil.
  package var event: String? {
    if case .posts(let event) = source { event } else { nil }
  }

  /// Creates a fan-out with default options.
  package init(_ source: Source) { self.source = source }
}
