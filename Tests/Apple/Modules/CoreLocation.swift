// swift-format-ignore-file
// The part of Core Location that CoreLocationSource uses.
@_exported import Foundation

public enum CLAuthorizationStatus: Int32, Sendable {
  case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
}

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: Double
  public var longitude: Double
}

open class CLLocation: NSObject, @unchecked Sendable {
  open var coordinate: CLLocationCoordinate2D { fatalError() }
  open var altitude: Double { 0 }
  open var horizontalAccuracy: Double { 0 }
  open var verticalAccuracy: Double { 0 }
  open var timestamp: Date { Date() }
}

public struct CLLocationUpdate: Sendable {
  public var location: CLLocation? { nil }

  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = CLLocationUpdate
    public struct Iterator: AsyncIteratorProtocol {
      public mutating func next() async throws -> CLLocationUpdate? { nil }
    }
    public func makeAsyncIterator() -> Iterator { Iterator() }
  }

  public static func liveUpdates() -> Updates { Updates() }
}

public protocol CLLocationManagerDelegate: NSObjectProtocol {
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
}

open class CLLocationManager: NSObject {
  open weak var delegate: (any CLLocationManagerDelegate)?
  open var authorizationStatus: CLAuthorizationStatus { .denied }
  open func requestWhenInUseAuthorization() {}
  open func requestAlwaysAuthorization() {}
}
