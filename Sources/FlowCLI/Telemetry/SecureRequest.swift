#if Network
  import AsyncHTTPClient
  import FlowModel
  import FlowSystem
  import NIOCore

  /// Sends requests over TLS. The package trait `Network` is required.
  enum SecureRequest {
    /// Sends a request to an `https://` URL and returns the answer. Throws if the request fails, or if no answer has
    /// arrived by the deadline. Blocks the thread.
    static func send(
      _ request: PlainRequest, to url: String, by deadline: ContinuousClock.Instant
    ) throws(PlainRequest.RequestProblem) -> PlainRequest.Answer {
      var configuration = HTTPClient.Configuration()
      configuration.redirectConfiguration = .disallow
      configuration.connectionPool.retryConnectionEstablishment = false
      let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
      defer { client.shutdown { _ in } }
      let left = ContinuousClock.now.duration(to: deadline).nanoseconds
      do {
        var outgoing = try HTTPClient.Request(url: url, method: .POST, body: .bytes(request.body))
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        let answer = try client.execute(request: outgoing, deadline: .now() + .nanoseconds(Int64(left))).wait()
        return PlainRequest.Answer(
          status: Int(answer.status.code),
          retryAfterSeconds: answer.headers.first(name: "Retry-After").flatMap { Int($0) },
          body: answer.body.map { Array($0.readableBytesView) } ?? [])
      } catch {
        throw PlainRequest.RequestProblem(description: reason(of: error))
      }
    }

    /// Returns the cause of an error in words.
    private static func reason(of error: any Error) -> String {
      if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
      switch error as? HTTPClientError {
      case .some(.deadlineExceeded), .some(.readTimeout), .some(.connectTimeout): return "it did not answer in time"
      case .some(.remoteConnectionClosed): return "it closed the connection"
      default: break
      }
      let isUntrusted = "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
      return isUntrusted ? "its certificate is not trusted" : "the connection failed"
    }
  }
#endif
