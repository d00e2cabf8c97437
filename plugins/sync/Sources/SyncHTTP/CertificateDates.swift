#if Network
  import NIOCore
  import NIOPosix
  import NIOSSL

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The validity period of a server's certificate. After a failed handshake, the HTTP client does not report that a
  /// date is invalid. The certificates are therefore fetched on a second connection, which is closed before any data is
  /// sent.
  struct CertificateDates: Sendable {
    /// The start of the period, in seconds since 1970.
    var from: Int
    /// The end of the period, in seconds since 1970.
    var until: Int

    /// The maximum time to connect, and then to receive the certificates.
    private static let timeout = TimeAmount.seconds(5)

    /// Returns the problem with the dates of a server's certificates, or nil if they are valid or cannot be read.
    static func problem(host: String, port: Int, at now: Date = Date()) async -> String? {
      guard let shown = try? await shown(host: host, port: port) else { return nil }
      return shown.lazy.compactMap { $0.problem(at: Int(now.timeIntervalSince1970)) }.first
    }

    func problem(at now: Int) -> String? {
      if now > until { return "the server's certificate expired on \(Self.text(until)); it must be renewed there" }
      if now < from {
        return
          "the server's certificate is not valid before \(Self.text(from)), and this device's clock says \(Self.text(now))"
      }
      return nil
    }

    private static func text(_ seconds: Int) -> String {
      Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
    }

    private static func shown(host: String, port: Int) async throws -> [CertificateDates] {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let shown = loop.makePromise(of: [CertificateDates].self)
      let context = try NIOSSLContext(configuration: .makeClientConfiguration())
      // Server Name Indication is for names only, not for IP addresses.
      let name = host.contains(":") || host.allSatisfy({ $0.isNumber || $0 == "." }) ? nil : host
      do {
        let channel = try await ClientBootstrap(group: loop).connectTimeout(timeout).channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let handler = try NIOSSLClientHandler(
              context: context, serverHostname: name,
              customVerificationCallback: { certificates, verdict in
                shown.succeed(
                  certificates.map { CertificateDates(from: Int($0.notValidBefore), until: Int($0.notValidAfter)) })
                verdict.succeed(.failed)
              })
            try channel.pipeline.syncOperations.addHandler(handler)
          }
        }.connect(host: host, port: port).get()
        let deadline = loop.scheduleTask(in: timeout) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in
          deadline.cancel()
          shown.fail(ChannelError.eof)
        }
        let dates = try await shown.futureResult.get()
        channel.close(promise: nil)
        return dates
      } catch {
        shown.fail(error)
        throw error
      }
    }
  }
#endif
