import CFlowPlatform

/// The resources of the machine that this process may use.
package struct Machine: Sendable, Hashable {
  /// The number of processors that this process may use, at least 1. A fractional limit of its control group is rounded
  /// down.
  package let cpus: Int
  /// The size of the machine's memory, or the limit of the process's control group if that is lower.
  package let memoryBytes: Int
  /// The number of GPUs listed in `CUDA_VISIBLE_DEVICES` or, if it is not set, of all NVIDIA devices.
  package let gpus: Int

  /// Reads the current values from the system.
  package init() {
    let groups = ControlGroups()
    cpus = max(1, min(Self.usableProcessors, groups.cpus ?? .max))
    memoryBytes = min(
      Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE))), groups.memoryBytes ?? .max)
    gpus = Self.gpus(visible: getenv("CUDA_VISIBLE_DEVICES").map { String(cString: $0) })
  }

  /// The number of processors on which the calling thread may run.
  fileprivate static var usableProcessors: Int {
    let count = Int(flow_usable_processors())
    return count > 0 ? count : Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  /// Returns the number of GPUs listed in `visible`, the value of `CUDA_VISIBLE_DEVICES`. If it is nil, counts all
  /// NVIDIA devices. Like CUDA, ignores the first invalid device and all devices after it.
  package static func gpus(visible: String?) -> Int {
    guard let visible else {
      var count = 0
      while count < 1_024, access("/dev/nvidia\(count)", F_OK) == 0 { count += 1 }
      return count
    }
    return visible.split(separator: ",").prefix { !$0.hasPrefix("-") && $0.lowercased() != "none" }.count
  }
}

/// The limits that the control groups of this process impose, in version 1 or 2.
private struct ControlGroups {
  private(set) var cpus: Int?
  private(set) var memoryBytes: Int?

  init() {
    guard let list = Self.text(of: "/proc/self/cgroup") else { return }
    for line in list.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let controllers = parts[1].split(separator: ",")
      if parts[1].isEmpty { readUnified(String(parts[2])) }
      if controllers.contains("memory") { readMemory(String(parts[2])) }
      if controllers.contains("cpu") { readProcessors("/sys/fs/cgroup/\(parts[1])", String(parts[2])) }
    }
  }

  private mutating func readUnified(_ path: String) {
    for folder in Self.folders("/sys/fs/cgroup", path) {
      limit(\.memoryBytes, Self.number(of: folder + "/memory.max"))
      let words = Self.text(of: folder + "/cpu.max")?.split(whereSeparator: \.isWhitespace) ?? []
      if words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), period > 0 {
        limit(\.cpus, max(1, quota / period))
      }
    }
  }

  private mutating func readMemory(_ path: String) {
    for folder in Self.folders("/sys/fs/cgroup/memory", path) {
      limit(\.memoryBytes, Self.number(of: folder + "/memory.limit_in_bytes"))
    }
  }

  private mutating func readProcessors(_ root: String, _ path: String) {
    for folder in Self.folders(root, path) + Self.folders("/sys/fs/cgroup/cpu", path) {
      guard let quota = Self.number(of: folder + "/cpu.cfs_quota_us"), quota > 0,
        let period = Self.number(of: folder + "/cpu.cfs_period_us"), period > 0
      else { continue }
      limit(\.cpus, max(1, quota / period))
    }
  }

  private mutating func limit(_ part: WritableKeyPath<ControlGroups, Int?>, _ value: Int?) {
    guard let value, value > 0 else { return }
    self[keyPath: part] = min(self[keyPath: part] ?? .max, value)
  }

  /// Returns the folders of a control group and of its parents. Inside a container, the path may be the one on the
  /// host.
  private static func folders(_ root: String, _ path: String) -> [String] {
    var folders = [root]
    for part in path.split(separator: "/") where part != ".." {
      folders.append(folders[folders.count - 1] + "/" + part)
    }
    return folders
  }

  private static func number(of file: String) -> Int? {
    text(of: file).flatMap { Int($0.prefix { !$0.isWhitespace }) }
  }

  /// Reads the beginning of a system file, which is enough for the small files used here. Returns nil if the file
  /// cannot be read.
  private static func text(of file: String) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      let count = SystemCall.read(descriptor, buffer)
      return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}

/// Returns the number of processors on which the calling thread may run, at least 1. Unlike ``Machine/cpus``, it
/// ignores the CPU quotas of control groups.
package func activeCores() -> Int { max(1, Machine.usableProcessors) }
