import FlowSyntax
import Foundation
import TestSupport
import Testing

@testable import FlowExecutors
@testable import FlowPluginHost

/// Executors that plugins provide, each tested with a real engine.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ExternalExecutorTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-brought-\(UUID().uuidString)"
  private static let plugins = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../plugins").standardizedFileURL.path

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func remove() throws { try FileManager.default.removeItem(atPath: folder) }

  /// Copies a plugin and changes its manifest, so that it starts the program found in the PATH of `environment` rather
  /// than in that of this process.
  private func plugin(_ name: String, _ environment: [String: String]) throws -> InstalledPlugin {
    let copy = "\(folder)/\(name)"
    try FileManager.default.copyItem(atPath: "\(Self.plugins)/\(name)", toPath: copy)
    let first = try #require(environment["PATH"]?.split(separator: ":").first)
    let program = name == "dask" ? "python3" : name
    let manifest = try String(contentsOfFile: "\(copy)/plugin.yaml", encoding: .utf8)
    try manifest.replacing("[\(program),", with: "[\(first)/\(program),")
      .write(toFile: "\(copy)/plugin.yaml", atomically: true, encoding: .utf8)
    return try PluginFinder.read(copy).get()
  }

  private func conform(_ name: String, on address: String, _ environment: [String: String]) async throws {
    var request = ExecutorRequest(
      address: try ExecutorAddress("\(address),worker=\(FlowrunProcess.path)"), needs: ExecutorConformance.needs,
      workflowFolder: folder, pluginFolders: [], plugins: [try plugin(name, environment)],
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    // The limits are shortened, because no engine reports the end of a worker.
    request.pulse = PulseRhythm(scale: 0.4)
    let pool = try request.pool()
    try await pool.open(waitingAtMost: .seconds(60))
    try await ExecutorConformance(pool: pool, folder: folder).run()
    await pool.close()
  }

  /// Starts a step on one of two workers, kills that worker, and expects that the step runs again on the other one.
  private func losesOne(
    on address: String, _ plugin: String, _ environment: [String: String], slot: String,
    _ kill: (String) throws -> Void
  ) throws {
    try """
    name: x
    steps:
      a: { run: 'echo \(slot) >> log; [ "$FLOWRUN_ATTEMPT" = 2 ] || sleep 100; echo end >> log' }

    """.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    let process = try FlowrunProcess(
      ["flow.yaml", "--plugin-dir", "\(Self.plugins)/\(plugin)", "--on", "\(address),worker=\(FlowrunProcess.path)"],
      in: folder, environment: environment)
    func log() -> [Substring] {
      ((try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "").split(separator: "\n")
    }
    #expect(within(seconds: 60) { !log().isEmpty })
    try kill(String(try #require(log().first)))
    let result = process.result(limitSeconds: 60)
    #expect(result.exitCode == 0, "\(result.output) \(result.errors)")
    #expect(log().count == 3 && log().last == "end")
  }

  /// Expects that a variable with a secret is passed neither to commands nor to the transports of workers.
  private func hidesSecretVariable(
    on address: String, _ plugin: String, _ environment: [String: String], transport: String
  ) throws {
    let scene = SecretVariable(folder: folder, transport: transport)
    try scene.write()
    try scene.check(
      ["--plugin-dir", "\(Self.plugins)/\(plugin)", "--on", "\(address),worker=\(FlowrunProcess.path)"], environment)
  }

  /// Expects that files are copied to workers that cannot access the workflow's folder, and that products are copied
  /// back.
  private func copiesFiles(on address: String, _ plugin: String, _ environment: [String: String]) throws {
    try """
    name: copies
    steps:
      first: { run: "[ ! -e flow.yaml ]; sort < in > middle", inputs-from: [in], produces: [middle] }
      second: { needs: first, run: "rev < middle > out", inputs-from: [middle], produces: [out] }

    """.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    let lines = (0..<20_000).map { "line \($0)" }
    try lines.reversed().joined(separator: "\n").write(toFile: "\(folder)/in", atomically: true, encoding: .utf8)
    let result = try FlowrunProcess.run(
      [
        "flow.yaml", "--plugin-dir", "\(Self.plugins)/\(plugin)", "--on",
        "\(address),worker=\(FlowrunProcess.path),files=copy,scratch=\(folder)/scratch",
      ], in: folder, environment: environment)
    #expect(result.exitCode == 0, "\(result)")
    let out = (try? String(contentsOfFile: "\(folder)/out", encoding: .utf8))?.split(separator: "\n") ?? []
    #expect(out.count == 20_000 && out.first == "0 enil")
  }

  @Test(.enabled(if: DaskCluster.isInstalled, "distributed is not installed; scripts/setup test does that"))
  func `Dask workers meet the requirements for executors, and a step runs again if its worker is killed`() async throws
  {
    let cluster = try DaskCluster()
    let address = "dask=\(cluster.address)"
    try TimelessReport.compare(
      FaultScene.isLong ? 20 : 1, in: folder,
      on: ["--plugin-dir", "\(Self.plugins)/dask", "--on", "\(address),worker=\(FlowrunProcess.path)"],
      environment: DaskCluster.environment)
    try await conform("dask", on: address, DaskCluster.environment)
    try copiesFiles(on: address, "dask", DaskCluster.environment)
    // The parent of the command is the worker, whose parent is the Dask worker.
    try hidesSecretVariable(on: address, "dask", DaskCluster.environment, transport: "dask_executor.py carry")
    let slot = "$(ps -o ppid= -p $PPID)"
    try losesOne(on: address, "dask", DaskCluster.environment, slot: slot) { number in
      let worker = try #require(cluster.workers.first { "\($0.number)" == number })
      worker.send(SIGKILL)
    }
    try remove()
  }

  @Test(
    .enabled(if: TestExtent.isFull),
    .enabled(if: DaskCluster.isInstalled, "distributed is not installed; scripts/setup test does that"))
  func `an unreachable Dask scheduler is reported with its address`() throws {
    try "name: x\nsteps: { a: { run: 'true' } }\n"
      .write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--plugin-dir", "\(Self.plugins)/dask", "--on", "dask=tcp://127.0.0.1:1"], in: folder,
      environment: DaskCluster.environment)
    #expect(result.exitCode == 2)
    #expect(result.errors.contains("no scheduler answers at tcp://127.0.0.1:1"), "\(result.errors)")
    try remove()
  }

  @Test(.enabled(if: DaskCluster.isInstalled, "distributed is not installed; scripts/setup test does that"))
  func `a missing flowrun on Dask workers is reported with advice`() throws {
    try "name: x\nsteps: { a: { run: 'touch ran' } }\n"
      .write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    let cluster = try DaskCluster()
    let result = try FlowrunProcess.run(
      [
        "flow.yaml", "--plugin-dir", "\(Self.plugins)/dask", "--on", "dask=\(cluster.address),worker=/no/flowrun",
        "--report", "report.json",
      ], in: folder, environment: DaskCluster.environment)
    // On a slow machine, the error is reported only after the run has started.
    #expect([1, 2].contains(result.exitCode), "\(result)")
    let report = (try? String(contentsOfFile: "\(folder)/report.json", encoding: .utf8)) ?? ""
    let told = result.errors + report
    #expect(told.contains("/no/flowrun: not found"), "\(result)")
    #expect(told.contains("name the path that flowrun has there with 'worker=PATH'"), "\(result)")
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/ran"))
    try remove()
  }

  @Test(
    .enabled(if: SSHServer.isInstalled, "there is no sshd; scripts/setup test installs it where no service would start")
  )
  func `ssh workers meet the requirements for executors, and a step runs again if its connection breaks`() async throws
  {
    let server = try SSHServer()
    let hosts = "\(folder)/hosts.txt"
    try "# two names of one machine\none 1\ntwo 1\n".write(toFile: hosts, atomically: true, encoding: .utf8)
    try await conform("ssh", on: "ssh=\(hosts)", server.environment)
    try hidesSecretVariable(on: "ssh=\(hosts)", "ssh", server.environment, transport: "ssh -F \(server.folder)")
    try copiesFiles(on: "ssh=\(hosts)", "ssh", server.environment)
    // The parent of the worker is the shell or the server process of its session.
    try losesOne(on: "ssh=\(hosts)", "ssh", server.environment, slot: "$(ps -o ppid= -p $PPID)") {
      number in
      let process = try #require(ListedProcess.number(number))
      #expect(["sh", "bash", "sshd"].contains(ListedProcess.program(of: process)))
      _ = kill(process, SIGKILL)
    }
    try remove()
  }

  @Test func `a missing hosts file of the ssh executor is reported`() throws {
    try "name: x\nsteps: { a: { run: 'true' } }\n"
      .write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--plugin-dir", "\(Self.plugins)/ssh", "--on", "ssh=hosts.txt"], in: folder)
    #expect(result.exitCode == 2)
    #expect(result.errors.contains("hosts.txt: No such file or directory"), "\(result.errors)")
    try remove()
  }
}
