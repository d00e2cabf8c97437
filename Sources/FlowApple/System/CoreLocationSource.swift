#if canImport(CoreLocation)
  import CoreLocation
  public import FlowPluginKit
  public import LocationPlugin

  /// A source of the device's positions, for ``LocationPlugin``.
  ///
  /// The app's Info.plist needs `NSLocationWhenInUseUsageDescription`, and for `always` also
  /// `NSLocationAlwaysAndWhenInUseUsageDescription`.
  public struct CoreLocationSource: LocationSource {
    private let asksForAlways: Bool

    /// Creates a source. If `asksForAlways` is true, it asks for permission to use positions in the background, too.
    public init(asksForAlways: Bool = false) { self.asksForAlways = asksForAlways }

    /// Returns the permission that the system has recorded, without asking the person.
    public func authorization() -> LocationAuthorization? {
      LocationAuthorization(coreLocationStatus: CLLocationManager().authorizationStatus.rawValue)
    }

    /// Asks the person for permission and returns the answer. `simulatedAnswer` is ignored.
    public nonisolated(nonsending) func requestAuthorization(
      simulatedAnswer: LocationAuthorization
    ) async throws -> LocationAuthorization {
      await AuthorizationQuestion().answer(always: asksForAlways)
    }

    /// Delivers positions until the step ends. Invalid positions are skipped.
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

  /// Asks for permission once. Core Location calls its delegate on the main thread, because the manager is created
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
      // Core Location also calls this as soon as the delegate is set, before the person has answered.
      guard answer != .notDetermined else { return }
      MainActor.assumeIsolated {
        continuation?.resume(returning: answer)
        continuation = nil
      }
    }
  }
#endif
