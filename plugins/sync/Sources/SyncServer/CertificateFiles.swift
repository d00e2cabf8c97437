#if Network
  import Foundation
  import NIOCore
  import NIOSSL
  import Synchronization

  /// A certificate and its key, which are read again when their files change. New connections use the new pair, and
  /// open connections are not affected. An invalid pair is reported once, and the previous pair stays in use.
  final class CertificateFiles: Sendable {
    private let certificate: String
    private let key: String
    private let state: Mutex<State>
    private let report: @Sendable (String) -> Void

    private struct Pair {
      var chain: [NIOSSLCertificateSource]
      var key: NIOSSLPrivateKeySource
    }

    private struct State {
      var pair: Pair
      var stamp: String
      var looked: ContinuousClock.Instant
      var problem: String?
    }

    /// Reads the files. Throws a `CertificateProblem` if they cannot be used.
    init(certificate: String, key: String, report: @escaping @Sendable (String) -> Void) throws {
      self.certificate = certificate
      self.key = key
      self.report = report
      let stamp = Self.stamp(certificate, key)
      state = Mutex(State(pair: try Self.read(certificate, key), stamp: stamp, looked: .now))
    }

    struct CertificateProblem: Error, CustomStringConvertible {
      let description: String
    }

    /// Returns the TLS configuration. Each new connection uses the current certificate.
    func configuration() -> TLSConfiguration {
      let pair = state.withLock { $0.pair }
      var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: pair.chain, privateKey: pair.key)
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      // This runs outside the connection's thread. If the key does not match the certificate, BoringSSL's error stays
      // in the thread's queue, and the next handshake on that thread would report it.
      configuration.sslContextCallback = { [self] _, promise in
        promise.completeWithTask {
          let pair = self.present()
          var change = NIOSSLContextConfigurationOverride()
          change.certificateChain = pair.chain
          change.privateKey = pair.key
          return change
        }
      }
      return configuration
    }

    /// Returns the current certificate and key. Checks the files for changes at most once a second.
    private func present() -> Pair {
      state.withLock { state in
        guard state.looked.duration(to: .now) >= .seconds(1) else { return state.pair }
        state.looked = .now
        let stamp = Self.stamp(certificate, key)
        guard stamp != state.stamp else { return state.pair }
        do {
          state.pair = try Self.read(certificate, key)
          (state.stamp, state.problem) = (stamp, nil)
        } catch {
          // The two files are not replaced at the same moment, so a mismatch may be temporary and is checked again.
          if state.problem != "\(error)" { report("\(error); the previous certificate stays in use") }
          state.problem = "\(error)"
        }
        return state.pair
      }
    }

    private static func stamp(_ paths: String...) -> String {
      paths.map { path in
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let date = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        return "\(date) \(attributes?[.size] as? Int ?? 0) \(attributes?[.systemFileNumber] as? Int ?? 0)"
      }.joined(separator: " ")
    }

    private static func read(_ certificate: String, _ key: String) throws -> Pair {
      let rights = (try? FileManager.default.attributesOfItem(atPath: key))?[.posixPermissions] as? Int ?? 0
      if rights & 0o004 != 0 {
        throw CertificateProblem(
          description: "every user of this machine can read the key '\(key)'; remove that permission (chmod o-r)")
      }
      guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate), !chain.isEmpty else {
        throw CertificateProblem(description: "'\(certificate)' is not a readable file of PEM certificates")
      }
      guard let secret = try? NIOSSLPrivateKey(file: key, format: .pem) else {
        throw CertificateProblem(description: "'\(key)' is not a readable PEM key")
      }
      let pair = Pair(chain: chain.map { .certificate($0) }, key: .privateKey(secret))
      // Creating a context fails if the key does not match the certificate.
      let configuration = TLSConfiguration.makeServerConfiguration(certificateChain: pair.chain, privateKey: pair.key)
      guard (try? NIOSSLContext(configuration: configuration)) != nil else {
        throw CertificateProblem(description: "the key '\(key)' does not belong to the certificate '\(certificate)'")
      }
      return pair
    }
  }
#endif
