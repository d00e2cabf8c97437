// swift-format-ignore-file
// The part of Foundation that the modules for apps use: FoundationEssentials, and declarations that only Apple's
// Foundation has.
@_exported import FoundationEssentials

public protocol NSObjectProtocol: AnyObject {}

open class NSObject: NSObjectProtocol {
  public init() {}
}

extension NSObject: Hashable {
  public static func == (left: NSObject, right: NSObject) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) {}
}

open class NSNull: NSObject, @unchecked Sendable {}

open class NSNumber: NSObject, @unchecked Sendable {
  public init(value: Int) {}
  open var objCType: UnsafePointer<CChar> { fatalError() }
  open var boolValue: Bool { fatalError() }
  open var doubleValue: Double { fatalError() }
  open var intValue: Int { fatalError() }
  open var uint64Value: UInt64 { fatalError() }
}

open class Bundle: NSObject, @unchecked Sendable {
  public class var main: Bundle { fatalError() }
  open var bundlePath: String { fatalError() }
  open var bundleIdentifier: String? { fatalError() }
  open var resourcePath: String? { fatalError() }
  open var resourceURL: URL? { fatalError() }
  open var executableURL: URL? { fatalError() }
}

open class NSUserActivity: NSObject {
  open var activityType: String { fatalError() }
  open var webpageURL: URL?
  open var userInfo: [AnyHashable: Any]?
}

open class NSCoder: NSObject {}

open class NSKeyedArchiver: NSCoder {
  public init(requiringSecureCoding: Bool) {}
  open func finishEncoding() {}
  open var encodedData: Data { fatalError() }
  public class func archivedData(withRootObject object: Any, requiringSecureCoding: Bool) throws -> Data { fatalError() }
}

open class NSKeyedUnarchiver: NSCoder {
  public init(forReadingFrom data: Data) throws {}
  open var requiresSecureCoding: Bool = true
  open func finishDecoding() {}
  public class func unarchivedObject<Object: NSObject>(ofClass: Object.Type, from data: Data) throws -> Object? { fatalError() }
}

public enum QualityOfService: Int, Sendable {
  case userInteractive = 33, userInitiated = 25, utility = 17, background = 9, `default` = -1
}

open class Operation: NSObject, @unchecked Sendable {
  open func main() {}
  open var qualityOfService: QualityOfService { .default }
}

open class OperationQueue: NSObject, @unchecked Sendable {
  public class var main: OperationQueue { fatalError() }
}

public struct Notification: Sendable {
  public struct Name: RawRepresentable, Hashable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

open class NotificationCenter: NSObject, @unchecked Sendable {
  public class var `default`: NotificationCenter { fatalError() }
  open func addObserver(
    forName: Notification.Name?, object: Any?, queue: OperationQueue?, using: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol { fatalError() }
  open func removeObserver(_ observer: Any) {}
}

extension Error {
  public var localizedDescription: String { fatalError() }
}

extension URL {
  public static var applicationSupportDirectory: URL { fatalError() }
}
