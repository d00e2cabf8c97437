/// The names that expressions of a step with `foreach` can use.
public enum ItemContext {
  /// The current item.
  public static let item = "item"
  /// The index of the item, from 0.
  public static let index = "index"
  /// The key of the item, if the items are the members of an object.
  public static let key = "key"
  /// All of these names.
  public static let names = [item, index, key]
}
