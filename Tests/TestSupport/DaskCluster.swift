import Foundation

/// A Dask cluster for one test: a scheduler and two workers with two threads each, on loopback. It stops when this
/// object is released.
public final class DaskCluster: Sendable {
  /// The address to which clients connect, as written by the scheduler.
  public let address: String
  /// The worker processes, which a test may kill.
  public let workers: [BackgroundProgram]
  private let scheduler: BackgroundProgram
  private let folder: String

  private static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../.build/test-dask").standardizedFileURL.path

  /// True if Dask is installed, which `scripts/setup test` tries to do.
  public static let isInstalled = FileManager.default.fileExists(atPath: programs + "/complete")

  /// The environment variables with which flowrun's plugin finds the Python that has Dask.
  public static let environment = ["PATH": "\(programs)/bin:/usr/bin:/bin"]

  /// Starts the scheduler and the workers.
  public init() throws {
    folder = "/tmp/flowrun-dask-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (folder, file) = (folder, folder + "/scheduler.json")
    func start(_ words: [String]) throws -> BackgroundProgram {
      try BackgroundProgram(
        ["\(Self.programs)/bin/dask"] + words + ["--no-dashboard", "--host", "127.0.0.1", "--scheduler-file", file],
        log: "\(folder)/log", path: Self.environment["PATH"] ?? "")
    }
    scheduler = try start(["scheduler", "--port", "0"])
    let limit = Date.now + 60
    var found: String?
    while found == nil, Date.now < limit {
      usleep(50_000)
      let data = try? Data(contentsOf: URL(fileURLWithPath: file))
      let object = data.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
      found = object?["address"] as? String
    }
    guard let found else {
      throw Database.Failure(output: (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "")
    }
    address = found
    workers = try (1...2).map { index in
      try start(["worker", "--nthreads", "2", "--no-nanny", "--local-directory", "\(folder)/worker\(index)"])
    }
    let ask = """
      import distributed, os
      distributed.Client('\(found)', timeout=30).wait_for_workers(2, timeout=60)
      os._exit(0)
      """
    let (status, output) = try Shell.run("'\(Self.programs)/bin/python' -c \"\(ask)\"")
    guard status == 0 else { throw Database.Failure(output: output) }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}
