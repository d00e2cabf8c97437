/// The items for which a step with `foreach` runs.
package struct FanOut: Sendable, Hashable {
  package enum Source: Sendable, Hashable {
    /// An array, an object, or an expression that results in one of them. Strings may contain `${{ }}`.
    case items(Value)
    /// All combinations of the elements of several lists. The first key changes most slowly.
    ///
    /// Combinations that match an object in `exclude` are removed. An object in `include` adds its members to each
    /// combination whose axes it does not change. If there is no such combination, the object becomes a combination
    /// itself.
    case axes(ValueObject, exclude: [Value], include: [Value])
    /// The files that match these patterns at the time when the step becomes ready. Patterns may contain `${{ }}`.
    case files([String])
    /// The posts of a repeating event. The step finishes when no more posts are possible.
    case posts(of: String)
  }

  package var source: Source
  /// The maximum number of items that run at the same time, or nil if only threads and queues limit the number.
  package var parallel: Int?
  /// True if the failure of one item ends the others.
  package var isFailFast = true
  /// The time limit for all items together, from the start of the first item, or nil if there is none.
  package var deadline: Duration?

  /// The number of items in a literal list or object, or nil for any other source.
  package var literalCount: Int? {
    switch source {
    case .items(.array(let values)): values.count
    case .items(.object(let members)): members.count
    case .items, .axes, .files, .posts: nil
    }
  }

  /// The event whose posts are the items, or nil if the items come from another source.
  package var event: String? {
    if case .posts(let event) = source { event } else { nil }
  }

  package init(_ source: Source) { self.source = source }
}
