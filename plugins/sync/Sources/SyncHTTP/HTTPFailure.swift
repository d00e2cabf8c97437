#if Network
  import AsyncHTTPClient
  import FlowPlatform
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL
  import SyncEngine

  /// Converts errors of the HTTP client to errors of a backend.
  enum HTTPFailure {
    /// The error for a client that is used after it has been closed.
    static let closed = BackendError.unreachable("the client has been closed")

    /// Converts an error of the HTTP client. If a certificate was rejected, checks whether its dates are the reason.
    static func error(_ error: any Error, from address: ServerAddress) async -> BackendError {
      if let error = error as? NIOSSLError, isUntrusted(error),
        let problem = await CertificateDates.problem(host: address.host, port: address.port)
      {
        return .unreachable(problem)
      }
      return self.error(error)
    }

    /// Converts an error of the HTTP client.
    static func error(_ error: any Error) -> BackendError {
      switch error {
      case let error as BackendError: error
      case let error as HTTPClientError: self.error(error)
      case let error as NIOConnectionError: .unreachable("\(error.host):\(error.port): \(reason(error))")
      case let error as IOError: .unreachable(words(error))
      case let error as NIOSSLError: .unreachable(reason(error))
      case is NIOSSLExtraError: .unreachable("the server's certificate is for another name than the address")
      case is HTTPParserError: .unreachable("the other side does not speak HTTP")
      case is NIOTooManyBytesError: .unreachable("the answer is too large")
      case is CancellationError: closed
      default: .unreachable("\(error)")
      }
    }

    private static func error(_ error: HTTPClientError) -> BackendError {
      switch error {
      case .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
        .getConnectionFromPoolTimeout:
        .timedOut
      case .cancelled, .alreadyShutdown: closed
      case .remoteConnectionClosed: .unreachable("the server closed the connection")
      default: .unreachable("the other side does not speak HTTP: \(error.shortDescription)")
      }
    }

    private static func reason(_ error: NIOConnectionError) -> String {
      if let failure = error.connectionErrors.last?.error {
        return (failure as? IOError).map(words) ?? "\(failure)"
      }
      return "'\(error.host)' is not a known host"
    }

    /// Returns the system's description of an error, without the name of the call that failed.
    private static func words(_ error: IOError) -> String { SystemError.reason(error.errnoCode) }

    /// True if a certificate was rejected. The library exposes only the text of BoringSSL's errors, not their numbers.
    /// A test with an untrusted certificate fails if this text changes.
    private static func isUntrusted(_ error: NIOSSLError) -> Bool {
      guard case .handshakeFailed(let cause) = error else { return false }
      return "\(cause)".contains("CERTIFICATE_VERIFY_FAILED")
    }

    private static func reason(_ error: NIOSSLError) -> String {
      guard case .handshakeFailed(let cause) = error else { return "TLS: \(error)" }
      if isUntrusted(error) {
        return "the server's certificate is not trusted; 'certificates' names a file with the authority that signed it"
      }
      return "the server and this client cannot agree on TLS: \(cause)"
    }
  }
#endif
