#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncPomodoro
  import Testing

  @testable import SyncHTTP

  /// HTTPS between real processes, with certificate authorities made by the test.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct SecureServerTests {
    private let folder: TestFolder
    private let authority: Authority
    private static let zone = Pomodoro.zone
    private static let token = "0123456789abcdef-secret"

    init() throws {
      folder = try TestFolder()
      authority = try Authority("authority", in: folder)
      try authority.sign("localhost", as: "server")
    }

    private var flowrun: String {
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("flowrun").path
    }

    private func server() throws -> ServerProcess {
      let zones = try folder.write("\(Self.zone) \(Self.token)\n", to: "zones")
      return try ServerProcess(
        "--store", folder.file("zone.sqlite"), "--port", "0", "--zones", zones, "--certificate",
        folder.file("server.pem"), "--key", folder.file("server.key"))
    }

    private func client(
      _ server: ServerProcess, host: String = "localhost", certificates: String? = nil
    ) throws -> HTTPBackend {
      try HTTPBackend(
        address: "https://\(host):\(server.port)", token: Self.token,
        certificates: certificates ?? authority.certificate)
    }

    private func failure(_ client: HTTPBackend) async -> String {
      do throws(BackendError) {
        _ = try await client.serverTime()
        return "none"
      } catch {
        return "\(error)"
      }
    }

    @Test func `requests and the channel use TLS if the client trusts the server's certificate authority`()
      async throws
    {
      let server = try server()
      #expect(server.address.hasPrefix("https://"))
      let client = try client(server)
      var signs = client.watch(zone: Self.zone, device: DeviceID(stem: "mac", random: 1)).makeAsyncIterator()
      #expect(try await signs.next() != nil)
      let write = Write(
        timer: Dot(device: DeviceID(stem: "mac", random: 1), number: 1), milliseconds: try await client.serverTime(),
        state: TimerState(kind: .focus))
      _ = try await client.commit(Pomodoro.naming(atMilliseconds: 1), zone: Self.zone)
      let reply = try await client.commit(
        [.init(key: Pomodoro.timer, expectedVersion: 0, change: .write(write))], zone: Self.zone)
      guard case .committed = reply.results.first else {
        Issue.record("\(reply)")
        return
      }
      #expect(try await client.changes(zone: Self.zone, since: nil, limit: 9, maximumBytes: 1 << 16).records.count == 4)
      #expect(server.stop() == 0)
    }

    @Test func `the client explains why it refuses a server with an unknown authority, another name or no TLS`()
      async throws
    {
      let server = try server()
      let other = try Authority("other", in: folder)
      #expect(await failure(try client(server, certificates: other.certificate)).contains("is not trusted"))
      #expect(await failure(try client(server, host: "127.0.0.1")).contains("is for another name"))
      let plain = try ServerProcess("--store", folder.file("plain.sqlite"), "--port", "0", "--open")
      #expect(await failure(try client(plain)).contains("TLS"))
      #expect(throws: BackendError.self) { try client(server, certificates: folder.file("none.pem")) }
      let empty = try folder.write("no certificate", to: "empty.pem")
      #expect(throws: BackendError.self) { try client(server, certificates: empty) }
    }

    @Test func `an expired certificate is reported as expired, with its date, and not as untrusted`() async throws {
      try authority.sign("localhost", as: "server", days: -1)
      let server = try server()
      let answer = await failure(try client(server))
      #expect(answer.contains("the server's certificate expired on 20"), "\(answer)")
      #expect(!answer.contains("trusted"))
      // A date is reported only if the current time is outside the period, so an untrusted certificate is still
      // reported as untrusted.
      let early = CertificateDates(from: 1_800_000_000, until: 1_900_000_000)
      #expect(early.problem(at: 1_850_000_000) == nil)
      #expect(early.problem(at: 1_700_000_000)?.contains("not valid before 2027-01-15T08:00:00Z") == true)
    }

    @Test func `after the certificate is replaced, new connections use the new one and open connections continue`()
      async throws
    {
      let server = try server()
      let old = try client(server)
      #expect(try await old.serverTime() > 0)
      let fresh = try Authority("fresh", in: folder)
      try fresh.sign("localhost", as: "server")
      var answer = ""
      for _ in 0..<600 where answer != "none" {
        answer = await failure(try client(server, certificates: fresh.certificate))
        if answer != "none" { try await Task.sleep(for: .milliseconds(100)) }
      }
      #expect(answer == "none")
      #expect(try await old.serverTime() > 0)
      #expect(await failure(try client(server)).contains("is not trusted"))
      // A pair that does not match is reported, and the previous pair stays in use.
      try FileManager.default.removeItem(atPath: folder.file("server.key"))
      try FileManager.default.copyItem(atPath: folder.file("fresh.key"), toPath: folder.file("server.key"))
      for _ in 0..<600 where !server.problems.contains("does not belong to the certificate") {
        // The server reads its files again when a new connection is made.
        #expect(await failure(try client(server, certificates: fresh.certificate)) == "none")
        try await Task.sleep(for: .milliseconds(100))
      }
      #expect(server.problems.contains("does not belong to the certificate"))
      #expect(await failure(try client(server, certificates: fresh.certificate)) == "none")
    }

    @Test func `a key that others can read, or that does not match the certificate, is refused when the server starts`()
      throws
    {
      let arguments = "--store '\(folder.file("s.sqlite"))' --open --certificate '\(folder.file("server.pem"))' --key "
      let readable = try folder.write(
        try String(contentsOfFile: folder.file("server.key"), encoding: .utf8), to: "readable.key", rights: 0o644)
      let (status, output) = try ServerProcess.run(arguments + "'\(readable)'")
      #expect(status == 1 && output.contains("every user of this machine can read the key"))
      let wrong = try ServerProcess.run(arguments + "'\(folder.file("authority.key"))'")
      #expect(wrong.status == 1 && wrong.output.contains("does not belong"))
      let none = try ServerProcess.run("--store x --open --certificate '\(folder.file("server.pem"))'")
      #expect(none.status == 64 && none.output.contains("belong together"))
    }

    @Test func `flowrun synchronizes over TLS, and refuses a token on the command line`() throws {
      let server = try server()
      let workflow = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../workflows/sync.yaml").standardizedFileURL.path
      let common =
        "'\(workflow)' -i server=https://localhost:\(server.port) -i 'certificates=\(authority.certificate)'"
      func run(_ device: String, _ more: String, _ commands: String, token: String = "") throws -> (Int32, String) {
        let data = folder.file(device)
        return try Shell.run(
          "\(token) '\(flowrun)' \(common) -i device=\(device) --data '\(data)' \(more)", input: commands)
      }
      let (first, output) = try run("mac", "", "focus 25m\n", token: "FLOWRUN_SYNC_TOKEN='\(Self.token)'")
      #expect(first == 0, "\(output)")
      // The file may end with a newline.
      let file = try folder.write(Self.token + "\n", to: "token")
      let (second, seen) = try run("phone", "-i 'token=@\(file)'", "status\n")
      #expect(second == 0 && seen.contains("focus"), "\(seen)")
      let (third, refused) = try run("watch", "-i token=\(Self.token)", "status\n")
      #expect(third == 64 && refused.contains("command lines are visible to other users"), "\(refused)")
      for device in ["mac", "phone"] {
        #expect(try TestFolder.rights(folder.file("\(device)/sync-\(device).sqlite")) == 0o600)
      }
    }

    @Test func `the token of a run is not stored in the run history`() throws {
      let server = try server()
      let token = try folder.write(Self.token + "\n", to: "token")
      let workflows = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../workflows").standardizedFileURL.path
      for name in ["sync.yaml", "pomodoro.sync.yaml"] {
        _ = try folder.write(String(contentsOfFile: "\(workflows)/\(name)", encoding: .utf8), to: name)
      }
      let (status, output) = try Shell.run(
        "'\(flowrun)' '\(folder.file("sync.yaml"))' -i server=https://localhost:\(server.port) "
          + "-i 'certificates=\(authority.certificate)' -i 'token=@\(token)' -i device=mac", input: "status\n")
      #expect(status == 0, "\(output)")
      let (found, kept) = try Shell.run("cd '\(folder.file("."))' && '\(flowrun)' runs export last", input: "")
      #expect(found == 0 && kept.contains("https://localhost:\(server.port)") && !kept.contains(Self.token), "\(kept)")
      let (notes, refused) = try Shell.run(
        "'\(flowrun)' '\(workflows)/notes.yaml' -i line=milk -i token=\(Self.token)", input: "")
      #expect(notes == 64 && refused.contains("command lines are visible to other users"), "\(refused)")
    }

    @Test func `a token on the command line is refused even if the workflow does not declare it as secret`() throws {
      let server = try server()
      let file = try folder.write(
        """
        name: plain
        inputs: { token: { type: string } }
        steps:
          connect:
            uses: sync.connect
            with: { server: "https://localhost:\(server.port)", token: "${{ inputs.token }}" }
        """, to: "plain.yaml")
      let (status, output) = try Shell.run("'\(flowrun)' '\(file)' -i token=\(Self.token)", input: "")
      #expect(status == 1 && output.contains("every user of this machine can read it"), "\(output)")
    }
  }
#endif
