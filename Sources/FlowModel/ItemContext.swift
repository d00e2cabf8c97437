/// The contexts that expressions of a step with `foreach` see.
public enum ItemContext {
  /// The item.
  public static let item = "item"
  /// Its index, from 0.
  public static let index = "index"
  /// Its key, where the items come from an object.
  public static let key = "key"
  /// All of them.
  public static let names = [item, index, key]
}
