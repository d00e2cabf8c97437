#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncHTTP
  import Testing

  /// Zones and tokens that change while a server runs.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ZonesTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func zones(_ words: String) throws -> (status: Int32, output: String) {
      let (status, output) = try ServerProcess.run("zones \(words) --zones '\(folder.file("zones"))'")
      return (status, output.trimmingCharacters(in: .newlines))
    }

    private func code(_ address: String, _ zone: String, _ token: String) async -> String {
      do throws(BackendError) {
        let client = try HTTPBackend(address: address, token: token)
        _ = try await client.changes(zone: zone, since: nil, limit: 1, maximumBytes: 1)
        return "open"
      } catch {
        return error.code
      }
    }

    /// Waits up to a minute until requests to a zone have the expected result: `open` or an error code.
    private func becomes(_ expected: String, _ address: String, _ zone: String, _ token: String) async throws -> Bool {
      for _ in 0..<600 {
        if await code(address, zone, token) == expected { return true }
        try await Task.sleep(for: .milliseconds(100))
      }
      return false
    }

    @Test(arguments: [true, false])
    func `a running server accepts new zones and tokens, and refuses revoked ones`(_ usesPostgres: Bool) async throws {
      let home = try zones("add home")
      #expect(home.status == 0 && home.output.utf8.count == 43)
      let database = usesPostgres ? try Database() : nil
      let store = database.map { ("--postgres", $0.information) } ?? ("--store", folder.file("zone.sqlite"))
      let server = try ServerProcess(store.0, store.1, "--port", "0", "--zones", folder.file("zones"))
      #expect(await code(server.address, "home", home.output) == "open")
      #expect(await code(server.address, "work", home.output) == "not-authenticated")
      let work = try zones("add work").output
      #expect(try await becomes("open", server.address, "work", work))
      // A channel ends when the token that opened it is no longer valid.
      let client = try HTTPBackend(address: server.address, token: work)
      var signs = client.watch(zone: "work", device: DeviceID(stem: "mac", random: 1)).makeAsyncIterator()
      #expect(try await signs.next() != nil)
      let fresh = try zones("rotate work").output
      #expect(fresh != work)
      #expect(try await becomes("open", server.address, "work", fresh))
      #expect(await code(server.address, "work", work) == "not-authenticated")
      await #expect(throws: (any Error).self) { while try await signs.next() != nil {} }
      #expect(try zones("list").output == "home\nwork")
      #expect(try zones("revoke work").status == 0)
      #expect(try await becomes("not-authenticated", server.address, "work", fresh))
      #expect(await code(server.address, "home", home.output) == "open")
      #expect(server.stop() == 0)
    }

    @Test func `zones add refuses a name that cannot be part of an address, and the message states the rule`() throws {
      for name in [".", "..", "a/b", "ä"] {
        let (status, output) = try zones("add '\(name)'")
        #expect(status == 1, "\(name)")
        #expect(
          output.contains("'\(name)' is not a name for a zone: a zone's name is 1 to 128 letters, digits"), "\(output)")
        #expect(output.contains("but not '.' or '..', which addresses leave out"))
      }
      #expect(try zones("add ...").status == 0)
    }

    @Test func `the zones file contains only hashes of tokens, is private, and keeps comments`() throws {
      _ = try folder.write("# ours\nold 0123456789abcdef-secret\n", to: "zones")
      let token = try zones("add new").output
      let text = try String(contentsOfFile: folder.file("zones"), encoding: .utf8)
      #expect(text.hasPrefix("# ours\nold sha256:"))
      #expect(!text.contains(token) && !text.contains("secret"))
      #expect(try TestFolder.rights(folder.file("zones")) == 0o600)
    }

    @Test func `zones subcommands that run at the same time all take effect`() async throws {
      let path = folder.file("zones")
      let (status, _) = try await Shell.runAside(
        "for n in {1..12}; do '\(ServerProcess.program)' zones add zone$n --zones '\(path)' & done; wait", input: "")
      #expect(status == 0)
      #expect(try zones("list").output.split(separator: "\n").count == 12)
    }

    @Test(arguments: [
      ("add home", "is there already"), ("add 'a b'", "is not a name for a zone"), ("rotate nowhere", "there are home"),
      ("revoke nowhere", "no zone 'nowhere'"),
    ])
    func `a zones subcommand that fails reports the reason and changes nothing`(_ words: String, _ message: String)
      throws
    {
      #expect(try zones("add home").status == 0)
      let before = try String(contentsOfFile: folder.file("zones"), encoding: .utf8)
      let (status, output) = try zones(words)
      #expect(status == 1 && output.contains(message), "\(output)")
      #expect(try String(contentsOfFile: folder.file("zones"), encoding: .utf8) == before)
    }

    @Test func `a zones file that others can read, or that is damaged or missing, is refused with the reason`() throws {
      func serve(_ more: String = "") throws -> (status: Int32, output: String) {
        try ServerProcess.run(
          "--store '\(folder.file("s.sqlite"))' --port 0 --zones '\(folder.file("zones"))' \(more)")
      }
      #expect(try serve().output.contains("cannot be read"))
      _ = try folder.write("home 0123456789abcdef-secret\n", to: "zones", rights: 0o644)
      let readable = try serve()
      #expect(readable.status == 64 && readable.output.contains("every user of this machine can read"))
      #expect(try zones("list").output.contains("every user of this machine can read"))
      let server = try ServerProcess(
        "--store", folder.file("s.sqlite"), "--port", "0", "--zones", folder.file("zones"), "--readable-zones")
      #expect(server.port > 0)
      #expect(server.problems.contains("in clear text"))
      for (text, message) in [
        ("home\n", "zones:1: expected a zone's name and its token"),
        ("# a\na 0123456789abcdef\na 0123456789abcdef\n", "zones:3: the zone 'a' appears twice"),
        ("home short\n", "has 5 characters, at least 16"),
      ] {
        _ = try folder.write(text, to: "zones")
        let (status, output) = try serve()
        #expect(status == 64 && output.contains(message), "\(output)")
      }
    }

    @Test func `errors in the zones file of a running server are reported, and the previous zones remain valid`()
      async throws
    {
      let token = try zones("add home").output
      let server = try ServerProcess(
        "--store", folder.file("s.sqlite"), "--port", "0", "--zones", folder.file("zones"))
      _ = try folder.write("home\n", to: "zones")
      for _ in 0..<600 where !server.problems.contains("zones:1") { try await Task.sleep(for: .milliseconds(100)) }
      #expect(server.problems.contains("the zones and tokens before it count on"))
      #expect(await code(server.address, "home", token) == "open")
    }

    @Test func `a server port that is in use is reported with a remedy`() throws {
      let folder = NSTemporaryDirectory() + "sync-port-\(UInt32.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let server = try ServerProcess("--store", "\(folder)/one.sqlite", "--port", "0", "--open")
      defer { server.kill() }
      let (status, output) = try ServerProcess.run("--store '\(folder)/two.sqlite' --port \(server.port) --open")
      #expect(status == 1)
      #expect(output.contains("the port \(server.port) on 127.0.0.1 is taken; name another with --port"))
    }

    @Test func `plain HTTP that other machines can reach is refused unless --plain-http is set`() throws {
      _ = try zones("add home")
      let arguments = "--store '\(folder.file("s.sqlite"))' --port 0 --host 0.0.0.0 --zones '\(folder.file("zones"))'"
      let (status, output) = try ServerProcess.run(arguments)
      #expect(status == 64 && output.contains("--certificate and --key"))
      let server = try ServerProcess(
        "--store", folder.file("s.sqlite"), "--port", "0", "--host", "0.0.0.0", "--zones", folder.file("zones"),
        "--plain-http")
      #expect(server.port > 0)
    }
  }
#endif
