/// The reason why a URL was refused, as a stable word with a byte offset. A URL may be refused before or after
/// matching.
public struct URLRejection: Error, Sendable, Hashable {
  /// The reasons for rejections. The raw values are their names in results (CWE-939, MASWE-0058).
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The URL has no scheme, no `//` after the scheme, or no required host, or a custom scheme's first segment has a
    /// `[`.
    case malformedURL = "malformed-url"
    /// The URL is longer than ``URLLimits/urlBytes``.
    case urlTooLong = "url-too-long"
    /// The scheme is neither one of the application's nor `https`. Without declared hosts, `https` is not allowed
    /// either.
    case schemeNotAllowed = "scheme-not-allowed"
    /// The host of an `https` URL is not declared.
    case hostNotAllowed = "host-not-allowed"
    /// The URL contains a user name or a password, as in `user:password@host`.
    case userinfoNotAllowed = "userinfo-not-allowed"
    /// The port is not allowed. A custom scheme has no port, and a host allows 443 and its declared port.
    case portNotAllowed = "port-not-allowed"
    /// The URL contains a control character, plain or encoded.
    case controlCharacter = "control-character"
    /// The URL contains a backslash, plain or encoded.
    case backslash
    /// A segment is `.` or `..`, plain, encoded, or between encoded slashes.
    case dotSegment = "dot-segment"
    /// A `%` is not followed by two hexadecimal digits.
    case invalidPercentEncoding = "invalid-percent-encoding"
    /// The URL contains `%00`.
    case nullByte = "null-byte"
    /// The URL is not valid UTF-8 after decoding.
    case invalidUTF8 = "invalid-utf8"
    /// The URL has more segments than ``URLLimits/segments``.
    case tooManySegments = "too-many-segments"
    /// A segment, key, value or fragment is longer than ``URLLimits/parameterBytes``.
    case parameterTooLong = "parameter-too-long"
    /// The query and the fragment have more items than ``URLLimits/queryItems``.
    case tooManyQueryItems = "too-many-query-items"
    /// A parameter of type `url` contains a scheme or host that is not allowed (an open redirect).
    case urlParameterNotAllowed = "url-parameter-not-allowed"
    /// A query, fragment or payload parameter does not have the type declared by the route.
    case parameterTypeMismatch = "parameter-type-mismatch"
  }

  /// The stable reason.
  public let reason: Reason
  /// The byte offset of the problem in the URL, from 0. It is 0 if ``parameter`` is not nil.
  public let offset: Int
  /// The name of the invalid parameter, or nil if the problem is not in a parameter.
  public let parameter: String?

  /// Creates a rejection at a byte offset of the URL.
  public init(_ reason: Reason, at offset: Int, parameter: String? = nil) {
    self.reason = reason
    self.offset = offset
    self.parameter = parameter
  }

  /// The human-readable explanation, followed by the parameter or the byte offset in parentheses.
  public var message: String {
    let place = parameter.map { "parameter '\($0)'" } ?? "byte \(offset)"
    return "\(reason.explanation) (\(place))"
  }
}

extension URLRejection.Reason {
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
