import Foundation

/// An sshd for one test, with its own keys, on loopback. It stops when this object is released.
public final class SSHServer: Sendable {
  /// The folder with the server's files. It contains a `bin/ssh` that reaches the server by the names `one` and `two`.
  public let folder: String
  private let server: BackgroundProgram

  /// True if an sshd is installed, for example by `scripts/setup test`.
  public static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/sshd")

  /// The environment variables with which flowrun's plugin reaches the server.
  public var environment: [String: String] { ["PATH": "\(folder)/bin:/usr/bin:/bin"] }

  /// Starts the server on a port outside the system's range of ephemeral ports. Tries up to three ports, because one
  /// may be taken.
  public init() throws {
    folder = "/tmp/flowrun-ssh-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
    var failure = Database.Failure(output: "")
    for _ in 0..<3 {
      do {
        server = try Self.start(in: folder, port: Int.random(in: 20_000..<32_000))
        return
      } catch let problem as Database.Failure {
        failure = problem
      }
    }
    throw failure
  }

  /// Writes the settings and the keys and starts the server. Throws an error with the server's log if it does not
  /// answer.
  private static func start(in folder: String, port: Int) throws -> BackgroundProgram {
    let (status, output) = try Shell.run(
      """
      set -e
      cd '\(folder)'
      # Where the server of the system looks for it, and only the administrator's server asks.
      [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
      for key in host user; do [ -e $key ] || ssh-keygen -q -t ed25519 -N '' -f $key; done
      cp user.pub authorized
      cat >server.conf <<END
      ListenAddress 127.0.0.1
      Port \(port)
      HostKey $PWD/host
      AuthorizedKeysFile $PWD/authorized
      PidFile none
      StrictModes no
      UsePAM no
      PermitRootLogin prohibit-password
      PasswordAuthentication no
      END
      cat >client.conf <<END
      Host one two
        HostName 127.0.0.1
        Port \(port)
        IdentityFile $PWD/user
        IdentitiesOnly yes
        UserKnownHostsFile $PWD/known
        StrictHostKeyChecking accept-new
        LogLevel ERROR
      END
      printf '#!/bin/sh\\nexec /usr/bin/ssh -F %s/client.conf "$@"\\n' "$PWD" >bin/ssh
      chmod 755 bin/ssh
      """)
    guard status == 0 else { throw Database.Failure(output: output) }
    let server = try BackgroundProgram(
      ["/usr/sbin/sshd", "-D", "-e", "-f", "\(folder)/server.conf"], log: "\(folder)/log")
    let (isUp, said) = try Shell.run(
      """
      end=$(($(date +%s) + 20))
      while [ "$(date +%s)" -lt $end ]; do
        '\(folder)/bin/ssh' -o BatchMode=yes -o ConnectTimeout=5 one true >'\(folder)/said' 2>&1 && exit
        kill -0 \(server.number) 2>/dev/null || break
        sleep 0.1
      done
      cat '\(folder)/log' '\(folder)/said'
      exit 1
      """)
    guard isUp == 0 else { throw Database.Failure(output: said) }
    return server
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
