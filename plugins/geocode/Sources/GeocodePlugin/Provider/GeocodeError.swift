import FlowModel
import FlowPluginKit
import GeocodeCore

/// The reason why a lookup failed.
public enum GeocodeError: Error, Sendable, Equatable {
  /// The numbers are not a valid position.
  case invalidCoordinate(String)
  /// A limit, distance or population in the input is out of range.
  case outOfRange(String)
  /// Nothing was found at the coordinate or by the name, or the query or the country code is invalid.
  case noResult(String)
  /// The areas in the query were found, but not the place in them.
  case partialResult(String)
  /// The step was cancelled before the lookup.
  case cancelled
  /// A network provider refused the request because it had received too many.
  case rateLimited(retryAfter: Duration)
  /// A network provider could not be reached.
  case network(String)
  /// The tables are missing or damaged.
  case dataCorrupt(String)

  /// The error code in workflows and reports.
  public var code: String {
    switch self {
    case .invalidCoordinate: "invalid-coordinate"
    case .outOfRange: "out-of-range"
    case .noResult: "no-result"
    case .partialResult: "partial-result"
    case .cancelled: "cancelled"
    case .rateLimited: "rate-limited"
    case .network: "network"
    case .dataCorrupt: "data-corrupt"
    }
  }

  /// The name of the corresponding case of Core Location's `CLError.Code`.
  public var coreLocationName: String {
    switch self {
    case .invalidCoordinate, .outOfRange, .noResult: "geocodeFoundNoResult"
    case .partialResult: "geocodeFoundPartialResult"
    case .cancelled: "geocodeCanceled"
    case .rateLimited, .network: "network"
    case .dataCorrupt: "locationUnknown"
    }
  }

  /// The explanation for the user, as a sentence without a period.
  public var message: String {
    switch self {
    case .invalidCoordinate(let message), .outOfRange(let message), .noResult(let message), .partialResult(let message),
      .network(let message), .dataCorrupt(let message):
      message
    case .cancelled: "the lookup was cancelled"
    case .rateLimited(let pause): "the geocoder asks to wait \(DurationText.format(pause))"
    }
  }

  var actionError: ActionError {
    if case .rateLimited(let pause) = self {
      return ActionError(code, message, isRetryable: true, retryAfter: pause)
    }
    return ActionError(code, message)
  }

  static let lookupDeclarations = [
    ErrorDeclaration("no-result", "Nothing is there, or nothing has the name", isRetryable: false),
    ErrorDeclaration("cancelled", "The step was cancelled", isRetryable: false),
    ErrorDeclaration("rate-limited", "A network provider was asked too often", isRetryable: true),
    ErrorDeclaration("network", "A network provider could not be reached", isRetryable: true),
    ErrorDeclaration("data-corrupt", "A table is missing or damaged; names file and line", isRetryable: false),
  ]
  static let outOfRangeDeclaration = ErrorDeclaration(
    "out-of-range", "A number of results, a distance or a population outside the limits", isRetryable: false)
  static let invalidCoordinateDeclaration = ErrorDeclaration(
    "invalid-coordinate", "The numbers are not a position; the message says so if they seem swapped", isRetryable: false
  )
}

extension ActionContext {
  /// Calls `body` with the provider. Throws if the step has been cancelled, or if the provider throws.
  func withGeocoder<Result>(_ body: (any GeocodeProvider) throws(GeocodeError) -> Result) throws -> Result {
    let provider: any GeocodeProvider = try handle(.geocodeProvider)
    do throws(GeocodeError) {
      if isCancelled { throw .cancelled }
      return try body(provider)
    } catch {
      throw error.actionError
    }
  }
}
