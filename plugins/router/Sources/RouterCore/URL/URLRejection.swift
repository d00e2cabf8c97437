/// Why a URL was refused before or after matching: a stable word and the byte at which it went wrong.
public struct URLRejection: Error, Sendable, Hashable {
  /// The words that appear as `reason` in results (design: security checklist; CWE-939, MASWE-0058).
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// It has no scheme, no `//` behind the scheme, or no host where one belongs.
    case malformedURL = "malformed-url"
    /// It is longer than ``URLLimits/urlBytes``.
    case urlTooLong = "url-too-long"
    /// Its scheme is not one of those that are allowed.
    case schemeNotAllowed = "scheme-not-allowed"
    /// Its host is not one of those that are allowed.
    case hostNotAllowed = "host-not-allowed"
    /// It carries `user:password@`.
    case userinfoNotAllowed = "userinfo-not-allowed"
    /// It names a port that is not allowed.
    case portNotAllowed = "port-not-allowed"
    /// It holds a control character, plain or encoded.
    case controlCharacter = "control-character"
    /// It holds a backslash, plain or encoded.
    case backslash
    /// A segment is `.` or `..`, plain, encoded, or between encoded slashes.
    case dotSegment = "dot-segment"
    /// A `%` is not followed by two hexadecimal digits.
    case invalidPercentEncoding = "invalid-percent-encoding"
    /// It holds `%00`.
    case nullByte = "null-byte"
    /// Its bytes are not UTF-8 once decoded.
    case invalidUTF8 = "invalid-utf8"
    /// It has more segments than ``URLLimits/segments``.
    case tooManySegments = "too-many-segments"
    /// A segment, key, value or fragment is longer than ``URLLimits/parameterBytes``.
    case parameterTooLong = "parameter-too-long"
    /// Its query has more items than ``URLLimits/queryItems``.
    case tooManyQueryItems = "too-many-query-items"
    /// A parameter of type `url` leads to a scheme or host that is not allowed (an open redirect).
    case urlParameterNotAllowed = "url-parameter-not-allowed"
    /// A query or payload parameter that the route declares a type for is not of this type.
    case parameterTypeMismatch = "parameter-type-mismatch"
  }

  /// What is wrong.
  public let reason: Reason
  /// The byte of the URL, counted from 0, at which it was noticed.
  public let offset: Int
  /// The name of the parameter it is about, where it is about one.
  public let parameter: String?

  /// A refusal at a place.
  public init(_ reason: Reason, at offset: Int, parameter: String? = nil) {
    self.reason = reason
    self.offset = offset
    self.parameter = parameter
  }

  /// One sentence for a person, ending in the place.
  public var message: String {
    let place = parameter.map { "parameter '\($0)'" } ?? "byte \(offset)"
    return "\(reason.explanation) (\(place))"
  }
}

extension URLRejection.Reason {
  /// The reason as a clause.
  var explanation: String {
    switch self {
    case .malformedURL: "this is not of the form scheme://segment/…"
    case .urlTooLong: "the URL is longer than 2048 bytes"
    case .schemeNotAllowed: "the scheme is not one of the declared schemes"
    case .hostNotAllowed: "the host is not one of the declared hosts"
    case .userinfoNotAllowed: "a user name or password is not allowed in a link"
    case .portNotAllowed: "the port is not declared"
    case .controlCharacter: "a control character is not allowed in a link"
    case .backslash: "a backslash is not allowed in a link"
    case .dotSegment: "'.' and '..' are not allowed in a link"
    case .invalidPercentEncoding: "'%' must be followed by two hexadecimal digits"
    case .nullByte: "'%00' is not allowed in a link"
    case .invalidUTF8: "the decoded text is not UTF-8"
    case .tooManySegments: "the path has more than 64 segments"
    case .parameterTooLong: "a part is longer than 1024 bytes"
    case .tooManyQueryItems: "the query has more than 64 items"
    case .urlParameterNotAllowed: "the URL inside leads outside the declared schemes and hosts"
    case .parameterTypeMismatch: "the value is not of the declared type"
    }
  }
}
