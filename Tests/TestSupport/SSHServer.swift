import Foundation

/// An sshd of the test's own on loopback, with keys that it makes; it goes away with the object.
public final class SSHServer: Sendable {
  /// Where its files are; `bin/ssh` there is an ssh that knows it under the names `one` and `two`.
  public let folder: String
  private let server: BackgroundProgram

  /// Whether there is one, as `scripts/setup test` sees to.
  public static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/sbin/sshd")

  /// What makes flowrun's plugin reach it.
  public var environment: [String: String] { ["PATH": "\(folder)/bin:/usr/bin:/bin"] }

  /// Starts it.
  public init() throws {
    folder = "/tmp/flowrun-ssh-\(UUID().uuidString.prefix(8))"
    let port = Int.random(in: 20_000..<40_000)
    try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
    let (status, output) = try Shell.run(
      """
      set -e
      cd '\(folder)'
      # Where the server of the system looks for it, and only the administrator's server asks.
      [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
      ssh-keygen -q -t ed25519 -N '' -f host
      ssh-keygen -q -t ed25519 -N '' -f user
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
    server = try BackgroundProgram(["/usr/sbin/sshd", "-D", "-e", "-f", "\(folder)/server.conf"], log: "\(folder)/log")
    let (isUp, said) = try Shell.run(
      "for look in $(seq 200); do '\(folder)/bin/ssh' -o BatchMode=yes one true && exit; sleep 0.1; done; exit 1")
    guard isUp == 0 else {
      throw Database.Failure(output: said + ((try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? ""))
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
