#if canImport(CoreLocation)
  import CoreLocation
  public import FlowPluginKit
  public import LocationPlugin

  /// The positions of the device, for ``LocationPlugin``.
  ///
  /// The app's Info.plist needs `NSLocationWhenInUseUsageDescription`, and for `always` also
  /// `NSLocationAlwaysAndWhenInUseUsageDescription`.
  public struct CoreLocationSource: LocationSource {
    private let asksForAlways: Bool

    /// Creates a source of the device's positions. With `asksForAlways`, the permission requested includes the
    /// background.
    public init(asksForAlways: Bool = false) { self.asksForAlways = asksForAlways }

    /// Returns the permission as recorded by the system, without asking.
    public func authorization() -> LocationAuthorization? {
      LocationAuthorization(coreLocationStatus: CLLocationManager().authorizationStatus.rawValue)
    }

    /// Asks the person and returns the answer.
    public nonisolated(nonsending) func requestAuthorization(
      simulatedAnswer: LocationAuthorization
    ) async throws -> LocationAuthorization {
      await AuthorizationQuestion().answer(always: asksForAlways)
    }

    /// Delivers positions until the step ends.
    public nonisolated(nonsending) func positions(
      for request: LocationRequest, in context: ActionContext, deliver: @Sendable (Position) throws -> Void
    ) async throws {
      var maker = PositionMaker()
      for try await update in CLLocationUpdate.liveUpdates() {
        guard let location = update.location else { continue }
        let position = maker.position(
          latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
          horizontalAccuracy: location.horizontalAccuracy, altitude: location.altitude,
          verticalAccuracy: location.verticalAccuracy, atSeconds: location.timestamp.timeIntervalSinceReferenceDate)
        if let position { try deliver(position) }
      }
    }
  }

  /// Asks for the permission once. Core Location calls its delegate on the main thread, because the manager is created
  /// there.
  @MainActor private final class AuthorizationQuestion: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private var continuation: CheckedContinuation<LocationAuthorization, Never>?

    func answer(always: Bool) async -> LocationAuthorization {
      await withCheckedContinuation { continuation in
        self.continuation = continuation
        manager.delegate = self
        if always { manager.requestAlwaysAuthorization() } else { manager.requestWhenInUseAuthorization() }
      }
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      let answer = LocationAuthorization(coreLocationStatus: manager.authorizationStatus.rawValue)
      // Core Location also calls this when the delegate is set, before the person has answered.
      guard answer != .notDetermined else { return }
      MainActor.assumeIsolated {
        continuation?.resume(returning: answer)
        continuation = nil
      }
    }
  }
#endif
