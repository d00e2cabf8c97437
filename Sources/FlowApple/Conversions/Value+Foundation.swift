import FlowModel
import Foundation

extension Value {
  /// Converts a Foundation object from a payload: a string, a number, a Boolean, null, an array or a dictionary. A date
  /// becomes ISO 8601 text, a URL becomes text, and data becomes Base64. Returns nil for any other type. An element of
  /// such a type becomes null, and a member is left out.
  public init?(foundation object: Any) {
    // A Foundation number can also be cast to a Boolean, so the exact type decides.
    switch object {
    case is NSNull: self = .null
    case let text as String: self = .string(text)
    case let flag as Bool where type(of: object) == Bool.self: self = .boolean(flag)
    case let number as Int where type(of: object) == Int.self: self = .integer(number)
    case let number as Double where type(of: object) == Double.self: self = .number(number)
    case let number as NSNumber: self = Self.number(number)
    case let number as any BinaryInteger: self = Int(exactly: number).map(Value.integer) ?? .number(Double(number))
    case let url as URL: self = .string(url.absoluteString)
    case let date as Date: self = .string(date.formatted(.iso8601))
    case let data as Data: self = .string(data.base64EncodedString())
    case let members as [AnyHashable: Any]: self = .object(ValueObject(userInfo: members))
    case let items as [Any]: self = .array(items.map { Value(foundation: $0) ?? .null })
    default: return nil
    }
  }

  /// The value as a Foundation object, for use in a payload.
  public var foundationObject: Any {
    switch self {
    case .null: NSNull()
    case .boolean(let flag): flag
    case .integer(let number): number
    case .number(let number): number
    case .string(let text): text
    case .array(let items): items.map(\.foundationObject)
    case .object(let object): object.userInfo
    }
  }

  private static func number(_ number: NSNumber) -> Value {
    switch String(cString: number.objCType) {
    case "c", "B": return .boolean(number.boolValue)
    case "d", "f": return .number(number.doubleValue)
    case "Q": return Int(exactly: number.uint64Value).map(Value.integer) ?? .number(number.doubleValue)
    default: return .integer(number.intValue)
    }
  }
}

extension ValueObject {
  /// Creates an object from the members of a `userInfo` that have string keys and supported values. They are sorted by
  /// key.
  public init(userInfo: [AnyHashable: Any]) {
    self.init()
    let members = userInfo.compactMap { key, object in (key.base as? String).map { ($0, object) } }
    for (key, object) in members.sorted(by: { $0.0 < $1.0 }) { self[key] = Value(foundation: object) }
  }

  /// The members as Foundation objects, for use as a `userInfo`.
  public var userInfo: [String: Any] {
    Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.foundationObject) })
  }
}
