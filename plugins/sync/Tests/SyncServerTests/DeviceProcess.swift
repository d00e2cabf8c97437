#if Network
  import Foundation
  import SyncEngine
  import SyncSQLite
  import TestSupport

  /// A device of a history: a process `flowrun workflows/sync.yaml` that connects through its own proxy.
  final class DeviceProcess {
    let name: String
    let proxy: FaultProxy
    private let folder: String
    private let clock: String
    private var process: StartedProgram?
    private var input: Pipe?
    /// The output of all processes of the device.
    private let output = ServerProcess.Text()
    /// For each field, the last value that the device has shown as set by its own user.
    private(set) var lastFields: [String: String] = [:]
    private(set) var lastSeconds: Int?
    /// Descriptions of problems with the device's processes.
    private(set) var problems: [String] = []

    private static let workflow = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("workflows/sync.yaml").path

    init(name: String, folder: String, proxy: FaultProxy, clock: String) throws {
      self.name = name
      self.folder = folder
      self.proxy = proxy
      self.clock = clock
      try startIfEnded()
    }

    /// Starts a process unless one is running.
    func startIfEnded() throws {
      if let process, !process.hasEnded { return }
      let (input, pipe) = (Pipe(), Pipe())
      let before = output.all.utf8.count
      output.read(pipe)
      let process = try StartedProgram(
        [
          FlowrunProcess.path, Self.workflow, "-i", "device=\(name)", "-i", "server=http://127.0.0.1:\(proxy.port)",
          "--data",
          folder,
        ],
        environment: ProcessInfo.processInfo.environment.merging(["FLOWRUN_SYNC_CLOCK": clock, "NO_COLOR": "1"]) { $1 },
        input: .pipe(input), output: .pipe(pipe), errors: .output)
      (self.process, self.input) = (process, input)
      if !wait("this device is", since: before, seconds: 120) { problems.append("\(tail): it does not start") }
    }

    /// Writes a line to the process's standard input.
    func type(_ line: String) {
      guard let process, !process.hasEnded else { return }
      try? input?.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes a line and waits up to 20 s until the device shows its effect. Once it is shown, the change must not be
    /// lost.
    func act(_ line: String, shows text: String, field: (name: String, value: String)? = nil, seconds: Int? = nil) {
      let before = output.all.utf8.count
      type(line)
      guard wait(text, since: before) else { return }
      if let field { lastFields[field.name] = field.value }
      if let seconds { lastSeconds = seconds }
      // These states replace the timer.
      if line == "idle" || line == "snooze" { lastSeconds = nil }
    }

    private func wait(_ text: String, since offset: Int, seconds: Int = 20) -> Bool {
      let isShown = { [output] in
        String(decoding: output.all.utf8.dropFirst(offset), as: UTF8.self).contains(text)
      }
      _ = within(seconds: seconds) { isShown() || process?.hasEnded != false }
      return isShown()
    }

    /// Kills the process. Returns false if it had already ended.
    @discardableResult func kill() -> Bool {
      guard let process, !process.hasEnded else { return false }
      process.endByForce()
      return true
    }

    /// Closes the process's input. Returns its exit code, or nil if it had to be killed.
    func end() -> Int32? {
      try? input?.fileHandleForWriting.close()
      return process?.exitCode(withinSeconds: 120)
    }

    /// Kills the process and stops the proxy.
    func stop() {
      kill()
      proxy.stop()
    }

    /// Returns the saved state of the device, or nil if it cannot be read.
    func replica() -> Replica? {
      let path = "\(folder)/sync-\(name).sqlite"
      return ProcessHistory.waited { () async -> Replica? in
        guard let store = try? SQLiteReplicaStore(path: path, isReadOnly: true) else { return nil }
        defer { try? store.close() }
        return (try? await store.load()).flatMap { try? Replica(stored: $0) } ?? nil
      }
    }

    /// The device's name and the end of its output.
    var tail: String { "\(name): \(output.all.suffix(300))" }
  }
#endif
