#if Network
  import FlowCLI
  import FlowModel
  import FlowUI
  import Foundation
  import Synchronization
  import TestSupport

  /// A web server in this process that serves workflows in a temporary folder.
  final class ServedUI: Sendable {
    /// The folder that contains the workflows.
    let folder: URL
    /// The link that the server prints, with its token.
    let link: String
    let port: Int
    static let token = "a-token-for-tests"
    private let serving: Task<Void, any Error>
    private let clock: Clock

    /// A response of the server, as printed by curl.
    struct Answer {
      var status = 0
      var headers: [String: String] = [:]
      var body = ""
    }

    /// Writes workflows, given by file name, and starts to serve them.
    init(_ workflows: [String: String] = [:], _ change: (inout UISettings) -> Void = { _ in }) async throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-ui-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, text) in workflows {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
      }
      var settings = UISettings(
        library: try RunLibrary(folder: folder.path, store: nil, pluginFolders: [], isReadOnly: false),
        token: Self.token,
        flowrun: FlowrunProcess.path)
      settings.port = 0
      let clock = Clock()
      settings.now = { clock.seconds.load(ordering: .relaxed) }
      change(&settings)
      let server = UIServer(settings)
      let (links, found) = AsyncStream.makeStream(of: String.self)
      serving = Task {
        do {
          try await server.run(stopOnSignals: false) { link, _ in found.yield(link) }
        } catch {
          found.finish()
          throw error
        }
      }
      var iterator = links.makeAsyncIterator()
      guard let link = await iterator.next(), let port = URL(string: link)?.port else { throw Failure() }
      (self.link, self.port) = (link, port)
      self.clock = clock
    }

    private final class Clock: Sendable { let seconds = Atomic(0) }

    /// The error if the server does not start.
    struct Failure: Error {}

    /// Advances the clock that the server uses for sessions.
    func advance(hours: Int) { clock.seconds.add(hours * 3_600, ordering: .relaxed) }

    /// Stops the server. Removes the folder, or moves it to `copy`.
    func stop(keeping copy: String? = nil) async {
      serving.cancel()
      _ = await serving.result
      if let copy { try? FileManager.default.moveItem(atPath: folder.path, toPath: copy) }
      try? FileManager.default.removeItem(at: folder)
    }

    /// Runs `flowrun` in the folder.
    func flowrun(_ arguments: String...) throws -> FlowrunProcess.Result {
      try FlowrunProcess.run(arguments, in: folder.path)
    }

    /// Returns the ids of the runs, the newest first.
    func runs() throws -> [String] {
      let list = try flowrun("runs", "--json")
      // The command fails in a folder without runs.
      guard list.exitCode == 0 else { return [] }
      return try JSONText.parse(list.output).arrayValue?.compactMap { $0.objectValue?["id"]?.stringValue } ?? []
    }

    /// Sends a request with curl, which can also send requests that browsers would not. `words` are curl's options.
    func ask(_ path: String, _ words: [String] = []) throws -> Answer {
      let quoted = words.map { "'\($0.replacingOccurrences(of: "'", with: "'\\''"))'" }.joined(separator: " ")
      let result = try Shell.run(
        "curl -s -i --max-time 30 --path-as-is \(quoted) 'http://127.0.0.1:\(port)\(path)'")
      let text = result.output.replacingOccurrences(of: "\r\n", with: "\n")
      let parts = text.components(separatedBy: "\n\n")
      var answer = Answer(body: parts.dropFirst().joined(separator: "\n\n"))
      for (number, line) in parts[0].split(separator: "\n").enumerated() {
        if number == 0 {
          answer.status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        } else if let colon = line.firstIndex(of: ":") {
          answer.headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
            in: .whitespaces)
        }
      }
      return answer
    }

    /// Opens the link and returns curl's options for further requests in this session.
    func session() throws -> [String] {
      let opened = try ask("/?token=\(Self.token)")
      let cookie = opened.headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? ""
      return ["-b", cookie]
    }

    /// Posts an action as a page would. The token and the origin can be replaced.
    func post(
      _ action: String, _ body: String, _ session: [String], token: String? = nil, origin: String? = nil
    ) throws -> Answer {
      let page = try ask("/", session).body
      let start = page.range(of: "name=\"token\" content=\"")?.upperBound
      let own = start.map { String(page[$0...].prefix { $0 != "\"" }) } ?? ""
      return try ask(
        "/actions/\(action)",
        session + [
          "-H", "Content-Type: application/json", "-H", "X-Flowrun-Token: \(token ?? own)", "-H",
          "Origin: \(origin ?? "http://127.0.0.1:\(port)")", "-d", body,
        ])
    }
  }
#endif
