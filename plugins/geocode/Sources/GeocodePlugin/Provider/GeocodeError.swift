import FlowModel
import FlowPluginKit
import GeocodeCore

/// The reason why a lookup failed. `coreLocationName` is the corresponding error of Core Location.
public enum GeocodeError: Error, Sendable, Equatable {
  /// The numbers are not a position.
  case invalidCoordinate(String)
  /// A number of results, a distance or a population is outside its limits.
  case outOfRange(String)
  /// There is no place at the coordinate or with the name.
  case noResult(String)
  /// A part of the query was found, but not the rest.
  case partialResult(String)
  /// The step was cancelled.
  case cancelled
  /// A network provider received too many requests.
  case rateLimited(retryAfter: Duration)
  /// A network provider could not be reached.
  case network(String)
  /// The tables are missing or damaged.
  case dataCorrupt(String)

  /// The code in workflows and reports.
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

  /// The corresponding case of `CLError.Code`.
  public var coreLocationName: String {
    switch self {
    case .invalidCoordinate, .outOfRange, .noResult: "geocodeFoundNoResult"
    case .partialResult: "geocodeFoundPartialResult"
    case .cancelled: "geocodeCanceled"
    case .rateLimited, .network: "network"
    case .dataCorrupt: "locationUnknown"
    }
  }

  /// The problem, as a sentence without a period.
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
  /// Calls `body` with the plugin's provider. Throws if the step has been cancelled.
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
