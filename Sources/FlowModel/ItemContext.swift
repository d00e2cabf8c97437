/// The names that expressions of a step with `foreach` can use for its items.
public enum ItemContext {
  /// The current item.
  public static let item = "item"
  /// The index of the item, counted from 0.
  public static let index = "index"
  /// The key of the item, if the items come from an object.
  public static let key = "key"
  /// All of these names.
  public static let names = [item, index, key]
}
