import FlowStore
import FlowPlatform

// This file lists and removes runs. A damaged run is reported and does not affect the others.
extension SQLiteRunStore {
  package func list(_ filter: RunFilter) throws(StoreProblem) -> RunList {
    try withConnection { connection throws(StoreProblem) in
      var list = RunList()
      list.flaw = flaw
      let (text, values) = selection(filter)
      do throws(StoreProblem) {
        var count = 0
        try connection.run(text, values) { (row) throws(StoreProblem) in add(row, filter, &list, &count) }
      } catch {
        guard case .damaged = error else { throw error }
        list = try salvaged(filter, behind: error, connection)
      }
      settle(&list, filter, connection)
      return list
    }
  }

  /// Adds a run if its state matches and the limit has not been reached. A run that seems to be interrupted is added
  /// whatever states the filter has, because it may just have ended. `count` is the number of matching runs without the
  /// interrupted ones.
  private func add(_ row: borrowing SQLiteRow, _ filter: RunFilter, _ list: inout RunList, _ count: inout Int) {
    guard filter.limit.map({ count < $0 }) ?? true else { return }
    do throws(StoreProblem) {
      let run = placed(try stored(row).run)
      if run.state == .interrupted {
        list.runs.append(run)
      } else if filter.states.isEmpty || filter.states.contains(run.state) {
        list.runs.append(run)
        count += 1
      }
    } catch {
      list.damaged.append(row.text(1))
    }
  }

  /// Reads again the runs that seem to be interrupted, and removes those that do not match.
  private func settle(_ list: inout RunList, _ filter: RunFilter, _ connection: SQLiteConnection) {
    for index in list.runs.indices where list.runs[index].state == .interrupted {
      if let row = try? row(list.runs[index].id, connection) { list.runs[index] = placed(row.run) }
    }
    if !filter.states.isEmpty { list.runs.removeAll { !filter.states.contains($0.state) } }
    if let limit = filter.limit { list.runs = Array(list.runs.prefix(max(0, limit))) }
  }

  /// Returns the run with its file replaced by the file of the same name in ``folder``. Without a folder, returns the
  /// run unchanged.
  func placed(_ run: StoredRun) -> StoredRun {
    guard let folder else { return run }
    var placed = run
    placed.file = folder + "/" + Self.name(of: run.file)
    return placed
  }

  private static func name(of file: String) -> Substring {
    file[(file.utf8.lastIndex(of: UInt8(ascii: "/")).map { file.utf8.index(after: $0) } ?? file.startIndex)...]
  }

  /// Returns the name of a file if it is in the folder of the store, otherwise nil.
  private func ownName(of file: String) -> Substring? {
    guard let folder, FilePath.isSame(Self.folder(of: file), folder) else { return nil }
    return Self.name(of: file)
  }

  private func selection(_ filter: RunFilter) -> (text: String, values: [SQLiteValue]) {
    // The rows are read without an index, because a damaged index would hide some of them without an error.
    var text = "FROM run NOT INDEXED"
    var values: [SQLiteValue] = []
    var conditions: [String] = []
    if let id = filter.id {
      conditions.append("id = ?")
      values.append(.text(id))
    }
    if let file = filter.file {
      if let name = ownName(of: file) {
        conditions.append("substr(CAST(file AS BLOB), -\(name.utf8.count + 1)) = CAST(? AS BLOB)")
        values.append(.text("/" + name))
      } else {
        conditions.append("file = ?")
        values.append(.text(file))
      }
    }
    if let since = filter.sinceMilliseconds {
      conditions.append("started >= ?")
      values.append(.integer(since))
    }
    if !conditions.isEmpty { text += " WHERE " + conditions.joined(separator: " AND ") }
    // Runs are ordered by number, because the clock may have been set back.
    let order = " ORDER BY number DESC"
    // The state of a run does not depend on its row alone. Without a filter for states, the newest runs are selected
    // before their complete rows are read.
    if let limit = filter.limit, filter.states.isEmpty {
      text = "FROM run WHERE number IN (SELECT number \(text + order) LIMIT \(max(0, limit)))"
    }
    return ("SELECT \(Self.columns) \(text + order)", values)
  }

  /// Reads the last ``salvagedRows`` rows of the table one by one, because one of its pages cannot be read. Throws
  /// `problem` if no row can be read.
  private func salvaged(
    _ filter: RunFilter, behind problem: StoreProblem, _ connection: SQLiteConnection
  ) throws(StoreProblem) -> RunList {
    let last = try lastNumber(connection)
    var list = RunList()
    list.flaw = flaw
    // This makes the next process check the whole store, so that it also detects the damage.
    forgetStamps()
    let whole = RunFilter()
    var count = 0
    // Many of these numbers may have belonged to runs that were removed.
    for number in stride(from: last, to: max(0, last - Self.salvagedRows), by: -1) {
      do throws(StoreProblem) {
        try connection.run("SELECT \(Self.columns) FROM run WHERE number = ?", [.integer(number)]) {
          (row) throws(StoreProblem) in add(row, whole, &list, &count)
        }
      } catch {
        list.unreadable.append(number)
      }
    }
    guard !list.runs.isEmpty else { throw problem }
    let file = filter.file.map { file in ownName(of: file).map { "\(folder ?? "")/\($0)" } ?? file }
    list.runs = list.runs.filter { run in
      (filter.id.map { $0 == run.id } ?? true) && (file.map { $0 == run.file } ?? true)
        && (filter.sinceMilliseconds.map { $0 <= run.startedMilliseconds } ?? true)
    }
    return list
  }

  /// Returns the highest number of an existing run. If that cannot be read, returns the highest number ever used.
  private func lastNumber(_ connection: SQLiteConnection) throws(StoreProblem) -> Int {
    var last = 0
    func read(_ text: String) throws(StoreProblem) {
      try connection.run(text) { row throws(StoreProblem) in last = row.integer(0) }
    }
    do throws(StoreProblem) { try read("SELECT max(number) FROM run") } catch { try read(Self.selectLastNumber) }
    return last
  }

  /// The maximum number of rows that are read one at a time.
  private static let salvagedRows = 100_000

  package func remove(_ runs: [String]) throws(StoreProblem) -> Int {
    try change { connection throws(StoreProblem) in
      func removeAll() throws(StoreProblem) -> Int {
        try connection.transaction { () throws(StoreProblem) in try remove(runs, connection) }
      }
      do throws(StoreProblem) {
        return try removeAll()
      } catch {
        guard case .damaged = error else { throw error }
        // A damaged row may not match its index entries.
        try connection.execute("REINDEX")
        return try removeAll()
      }
    }
  }

  private func remove(_ runs: [String], _ connection: SQLiteConnection) throws(StoreProblem) -> Int {
    var count = 0
    for run in runs {
      var numbers: [Int] = []
      try connection.run("SELECT number FROM run NOT INDEXED WHERE id = ?", [.text(run)]) { row throws(StoreProblem) in
        numbers.append(row.integer(0))
      }
      for number in numbers {
        guard let lock = try lock(number) else { continue }
        defer { withExtendedLifetime(lock) {} }
        count += 1
        try connection.run("DELETE FROM chunk WHERE key BETWEEN ? AND ?", Self.keys(of: number))
        try connection.run("DELETE FROM request WHERE run = ?", [.integer(number)])
        try connection.run("DELETE FROM run WHERE number = ?", [.integer(number)])
      }
    }
    if count > 0 { try connection.run("DELETE FROM definition WHERE number NOT IN (SELECT definition FROM run)") }
    return count
  }
}
