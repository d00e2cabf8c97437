/// The names by which expressions of a step with `foreach` read the current item.
package enum ItemContext {
  /// The name of the current item.
  package static let item = "item"
  /// The name of the item's index, counted from 0.
  package static let index = "index"
  /// The name of the item's key, if the items come from an object.
  package static let key = "key"
  /// All names for the current item.
  package static let names = [item, index, key]
}
