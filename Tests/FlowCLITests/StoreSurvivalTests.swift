import FlowStore
import FlowStoreSQLite
import Foundation
import TestSupport
import Testing

/// New stores after a power failure, a kill, many concurrent processes, or damage.
@Suite(.timeLimit(.minutes(10))) struct `A new store` {
  private static let durable = """
    name: w
    durable: true
    steps: { a: { run: "echo a" }, b: { run: "sleep 60", needs: a } }

    """
  private static let short = "name: w\nsteps: { a: { run: \"echo a\" }, b: { run: \"true\", needs: a } }\n"

  private let tool: CommandLineTool
  private var store: String { tool.folder.path + "/.flowrun/runs.sqlite" }

  init() throws { tool = try CommandLineTool() }

  /// Creates a durable run whose process is killed in its second step.
  private func interruptedRun() throws {
    try tool.write(Self.durable, to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml", "--verbose"], in: tool.folder.path)
    #expect(process.waitForOutput("b started"))
    process.send(SIGKILL)
    _ = process.result()
  }

  private func movedAside() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: tool.folder.path + "/.flowrun")
      .filter { $0.contains("damaged-") && !$0.hasSuffix("-wal") }
  }

  @Test(arguments: [
    ("printf X | dd of=runs.sqlite-wal bs=1 seek=40 conv=notrunc", "frame 1 of its log is damaged"),
    ("printf X | dd of=runs.sqlite-wal bs=1 seek=9 conv=notrunc", "the header of its log is damaged"),
    ("truncate -s 4152 runs.sqlite-wal", "the end of its log is missing"),
    (": > runs.sqlite", "its main file is empty and its log is not"),
  ])
  func `a damaged store is moved aside, and one line reports the cause`(
    damage: String, cause: String
  ) throws {
    defer { tool.remove() }
    try interruptedRun()
    #expect(try Shell.run("cd '\(tool.folder.path)/.flowrun' && \(damage) 2>/dev/null").status == 0)
    let list = try tool.run("runs")
    #expect(list.exitCode == 2 && list.standardError.contains("is damaged"), "\(list)")
    try tool.write(Self.short, to: "w.yaml")
    let next = try tool.run("w.yaml")
    let line = "the run store is damaged (\(cause)) and was moved to '"
    #expect(next.exitCode == 0 && next.standardError.contains(line), "\(next)")
    #expect(next.standardError.split(separator: "\n").count == 1, "\(next)")
    #expect(try movedAside().count == 1)
    #expect(try tool.run("runs").standardOutput.split(separator: "\n").count == 1)
  }

  @Test func `twenty concurrent first runs create one store and are all recorded`() throws {
    defer { tool.remove() }
    try tool.write(Self.short, to: "w.yaml")
    let runs = try (0..<20).map { _ in try FlowrunProcess(["w.yaml"], in: tool.folder.path) }
    for run in runs {
      let result = run.result()
      #expect(result.exitCode == 0 && !result.output.contains("warning") && result.errors.isEmpty, "\(result)")
    }
    #expect(try tool.run("runs").standardOutput.split(separator: "\n").count == 20)
    #expect(try movedAside().isEmpty)
  }

  @Test func `twenty runs that find a damaged store move it aside only once`() throws {
    defer { tool.remove() }
    try interruptedRun()
    #expect(try Shell.run(": > '\(store)'").status == 0)
    try tool.write(Self.short, to: "w.yaml")
    let runs = try (0..<20).map { _ in try FlowrunProcess(["w.yaml"], in: tool.folder.path) }
    for run in runs { #expect(run.result().exitCode == 0) }
    #expect(try movedAside().count == 1)
    #expect(try tool.run("runs").standardOutput.split(separator: "\n").count == 20)
  }

  @Test func `a process that is killed while creating a store does not damage the store`() throws {
    defer { tool.remove() }
    try tool.write(Self.short, to: "w.yaml")
    let rounds = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] == nil ? 15 : 300
    for round in 0..<rounds {
      try? FileManager.default.removeItem(atPath: tool.folder.path + "/.flowrun")
      let process = try FlowrunProcess(["w.yaml", "--durable"], in: tool.folder.path)
      usleep(useconds_t(10_000 + round % 15 * 4000))
      process.send(SIGKILL)
      _ = process.result()
      let next = try tool.run("w.yaml")
      #expect(next.exitCode == 0 && next.standardError.isEmpty && !next.standardOutput.contains("warning"), "\(next)")
      #expect(try movedAside().isEmpty, "round \(round)")
    }
  }

  /// A library that logs the names of flushed files in order.
  private static let trace = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    static void note(int file) {
      char link[64], path[4096], line[4200];
      snprintf(link, sizeof link, "/proc/self/fd/%d", file);
      ssize_t length = readlink(link, path, sizeof path - 1);
      if (length < 0 || getenv("FLUSHES") == NULL) return;
      path[length] = 0;
      int log = open(getenv("FLUSHES"), O_WRONLY | O_CREAT | O_APPEND, 0600);
      const char *name = strrchr(path, '/');
      length = snprintf(line, sizeof line, "%s\\n", name ? name + 1 : path);
      if (write(log, line, (size_t)length) < 0) abort();
      close(log);
    }
    #define TRACED(name) int name(int file) { \\
      note(file); \\
      int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); \\
      return real(file); }
    TRACED(fsync)
    TRACED(fdatasync)

    """

  #if os(Linux)
    @Test(arguments: [false, true])
    func `the store and its folders are on disk before the first step of a durable run starts`(isUsed: Bool) throws {
      defer { tool.remove() }
      try tool.write(Self.trace, to: "trace.c")
      try tool.write("name: w\nsteps: { a: { run: 'echo began >> \"$FLUSHES\"' } }\n", to: "w.yaml")
      let folder = tool.folder.path
      let built = try Shell.run("cd '\(folder)' && clang -shared -fPIC -o trace.so trace.c -ldl")
      #expect(built.status == 0, "\(built)")
      // The store may have been created by a normal run, which does not wait for the disk.
      let environment = ["LD_PRELOAD": folder + "/trace.so", "FLUSHES": folder + "/flushes"]
      if isUsed {
        #expect(try FlowrunProcess.run(["w.yaml"], in: folder, environment: environment).exitCode == 0)
        #expect(try tool.text(of: "flushes") == "began\n", "it waits for no disk")
        try tool.write("", to: "flushes")
      }
      let run = try FlowrunProcess.run(["w.yaml", "--durable"], in: folder, environment: environment)
      #expect(run.exitCode == 0, "\(run)")
      let flushes = try tool.text(of: "flushes").split(separator: "\n").map(String.init)
      let expected = ["runs.sqlite", "runs.sqlite-wal", ".flowrun", tool.folder.lastPathComponent]
      #expect(Array(flushes.prefix(4)) == expected, "\(flushes)")
      // The record of the run is flushed before its first step starts.
      let began = try #require(flushes.firstIndex(of: "began"))
      #expect(flushes[4..<began].contains("runs.sqlite-wal"), "\(flushes)")
    }
  #endif

  private static let mayMount: Bool =
    getuid() == 0 && (try? Shell.run("losetup -f && command -v mkfs.ext4"))?.status == 0

  /// The disk image is copied during the run. The copy lacks data that was only in memory, as after a power failure.
  @Test(.enabled(if: mayMount), arguments: [false, true])
  func `a durable run survives a power failure in its first seconds`(isUsed: Bool) throws {
    defer { tool.remove() }
    try tool.write(Self.durable, to: "w.yaml")
    let (status, output) = try Shell.run(
      """
      cd '\(tool.folder.path)' || exit 1
      process=
      cleanup() {
        [ -z "$process" ] || kill -9 $process
        mountpoint -q disk && umount -l disk
      }
      trap cleanup EXIT
      mkdir disk && truncate -s 64M image && mkfs.ext4 -q image && mount -o loop image disk || exit 1
      mkdir disk/project && cp w.yaml disk/project && sync -f disk || exit 1
      cd disk/project
      \(isUsed ? "sed 's/durable: true//; s/sleep 60/true/' w.yaml >first.yaml; flowrun first.yaml >/dev/null" : ":")
      '\(FlowrunProcess.path)' w.yaml --verbose >../../output 2>&1 &
      process=$!
      for _ in $(seq 1000); do grep -q 'b started' ../../output && break; sleep 0.02; done
      cd ../..
      cp image cut || exit 1
      kill -9 $process; wait $process; process=
      # Its command ends with it.
      for _ in $(seq 500); do umount disk && break; sleep 0.02; done
      mount -o loop cut disk || exit 1
      cd disk/project
      sed -i 's/sleep 60/true/' w.yaml
      '\(FlowrunProcess.path)' resume last --keep-changed
      echo "exit $?"
      cd ../..
      """.replacing("; flowrun first", with: "; '\(FlowrunProcess.path)' first"))
    #expect(status == 0 && output.contains("kept: a\n") && output.contains("exit 0"), "\(output)")
  }

  @Test(arguments: [StoredRun.State.cancelled, .success])
  func `cancel reports the result of a run that ends before it handles the request`(end: StoredRun.State) throws {
    defer { tool.remove() }
    try tool.write(Self.short, to: "w.yaml")
    try FileManager.default.createDirectory(atPath: tool.folder.path + "/.flowrun", withIntermediateDirectories: true)
    let store = try SQLiteRunStore(store)
    let run = StoredRun(
      id: "01a20000-0000-7000-8000-00000000000a", workflow: "w", file: tool.folder.path + "/w.yaml",
      startedMilliseconds: 1, state: .running, epoch: 1,
      holder: RunHolder(process: Int(getpid()), host: ProcessInfo.processInfo.hostName), header: [])
    let lease = try store.create(run, definition: [1])
    let process = try FlowrunProcess(["cancel", "last"], in: tool.folder.path)
    #expect(try within(seconds: 30) { try !store.requests(of: lease).isEmpty })
    try store.finish(lease, state: end, summary: [])
    let result = process.result()
    if end == .cancelled {
      #expect(result.exitCode == 0, "\(result)")
    } else {
      #expect(result.exitCode == 1 && result.errors.contains("has ended meanwhile: success"), "\(result)")
    }
  }

  @Test func `concurrent resumes report the process that has taken over the run`() throws {
    defer { tool.remove() }
    try interruptedRun()
    for _ in 0..<5 {
      let processes = try (0..<3).map { _ in try FlowrunProcess(["resume", "last"], in: tool.folder.path) }
      #expect(within(seconds: 20) { processes.count(where: \.hasEnded) == 2 })
      let list = try tool.run("runs", "--json").standardOutput
      let pid = try #require(list.split(separator: "\n").first { $0.contains("\"pid\"") }).filter(\.isNumber)
      for process in processes {
        let isWinner = !process.hasEnded
        if isWinner { process.send(SIGKILL) }
        let result = process.result()
        guard !isWinner else { continue }
        #expect(result.exitCode == 1 && result.errors.contains("is already running (process \(pid) on"), "\(result)")
      }
    }
  }
}
