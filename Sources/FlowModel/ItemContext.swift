/// The names that expressions of a step with `foreach` can use for its items.
package enum ItemContext {
  /// The current item.
  package static let item = "item"
  /// The index of the item, counted from 0.
  package static let index = "index"
  /// The key of the item, if the items come from an object.
  package static let key = "key"
  /// All of these names.
  package static let names = [item, index, key]
}
