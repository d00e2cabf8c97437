import FlowModel
import FlowPlatform

/// The files that current steps and items produce. These files are never leftovers of removed items.
struct OtherProducts {
  /// The absolute paths of files that steps declare.
  private var paths: Set<ByteName> = []
  /// The paths of files relative to a folder that is not known.
  private var ends: Set<ByteName> = []
  private var patterns: [NamePattern] = []

  /// Collects the products that the workflow declares, and those in all records of the run's data folder and of the
  /// folders next to it. Products of removed items are excluded.
  init(of run: WorkflowRun, except records: Set<String>, _ entries: [Leftovers.Remains]) {
    let data = run.run.dataFolder
    let home = FilePath.folder(of: data)
    for folder in Set((FilePath.names(in: home) ?? []).map { "\(home)/\($0)" } + [data]) {
      for name in FilePath.names(in: "\(folder)/up-to-date") ?? [] {
        let record = "\(folder)/up-to-date/\(name)"
        let isOfGoneItems = records.contains(record)
        // The file with the records of a step's items also contains those of removed items.
        if isOfGoneItems, !name.hasSuffix(".items") { continue }
        let files = isOfGoneItems ? entries.filter { $0.records.contains(record) }.flatMap(\.files) : []
        let gone = Set(files.map { ByteName($0.path) })
        for file in Self.products(inRecord: record) {
          let name = ByteName(file.path)
          if !gone.contains(name) { ends.insert(name) }
        }
      }
    }
    for step in run.prepared.graph.steps(stating: .preparation) {
      let own = run.prepared.graph.workflow.steps[Int(step)]
      guard !own.options.produces.isEmpty, let files = run.prepared.detail(of: step)?.files else { continue }
      let folder = run.workflowFolder(of: step)
      let scope = run.state.withLock { run.scope(step, $0) }
      if own.options.fanOut == nil {
        for named in (try? files.evaluate(in: scope).makes) ?? [] where !PatternText.isExclusion(named.pattern) {
          add(named.pattern, in: folder)
        }
      } else if !run.leftovers.knowsItems(of: step) {
        for pattern in own.options.produces.map(\.pattern) where !PatternText.isExclusion(pattern) {
          add(ProductTable.text(of: pattern, run.prepared.graph.workflow.texts), in: folder)
        }
      }
    }
  }

  private mutating func add(_ pattern: String, in folder: String) {
    let text = FilePath.isAbsolute(pattern) ? pattern : "\(PatternText.quoted(folder))/\(pattern)"
    if let path = FilePattern.plainPath(text) {
      paths.insert(ByteName(FilePath.normalized(path)))
    } else {
      patterns += NamePattern.ofWholePaths(text)
    }
  }

  /// True if a current step or item may produce the file at this absolute path.
  func contains(_ place: String) -> Bool {
    let name = ByteName(place)
    if paths.contains(name) || ends.contains(name) || patterns.contains(where: { $0.matches(place) }) { return true }
    // The folder of the record is not known, so only the end of the path is compared.
    let bytes = Array(place.utf8)
    return bytes.indices.contains { index in
      bytes[index] == UInt8(ascii: "/")
        && ends.contains(ByteName(String(decoding: bytes[(index + 1)...], as: UTF8.self)))
    }
  }

  /// Returns the existing products of all successes in a file of records.
  static func products(inRecord path: String) -> [InputStamp] {
    guard path.hasSuffix(".step") || path.hasSuffix(".items"), let bytes = StepStamp.read(path) else { return [] }
    return StepStamp.all(in: bytes).filter { !$0.isOfFailure }.flatMap(\.products).filter { $0.bytes >= 0 }
  }
}
