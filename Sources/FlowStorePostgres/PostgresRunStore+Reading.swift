#if Network
  import FlowPostgres
  import FlowStore

  // This file reads runs and sends requests to them.
  extension PostgresRunStore {
    package func list(_ filter: RunFilter) throws(StoreProblem) -> RunList {
      var conditions: [String] = []
      var parameters: [PostgresParameter] = []
      func add(_ condition: String, _ parameter: PostgresParameter) {
        parameters.append(parameter)
        conditions.append(condition.replacing("?", with: "$\(parameters.count)"))
      }
      if let id = filter.id { add("id = ?", .text(id)) }
      if let file = filter.file { add("file = ?", .text(file)) }
      if let since = filter.sinceMilliseconds { add("started >= ?::int8", .integer(Int64(since))) }
      if !filter.states.isEmpty {
        let words = filter.states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        conditions.append("(\(Self.standing)) IN (\(words))")
      }
      let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
      let limit = filter.limit.map { "LIMIT \(max(0, $0))" } ?? ""
      let rows = try execute(
        """
        SELECT id, workflow, file, started, \(Self.standing), epoch, process, host, header, summary,
        checksum = \(Self.runChecksum) FROM flowrun_run
        \(condition) ORDER BY number DESC \(limit)
        """, parameters)
      var list = RunList()
      for row in 0..<rows.count {
        guard rows.integer(row, 10) == 1 else {
          list.damaged.append(rows.text(row, 0))
          continue
        }
        let run = StoredRun(
          id: rows.text(row, 0), workflow: rows.text(row, 1), file: rows.text(row, 2),
          startedMilliseconds: Int(rows.integer(row, 3)),
          state: StoredRun.State(rawValue: rows.text(row, 4)) ?? .interrupted, epoch: Int(rows.integer(row, 5)),
          holder: RunHolder(process: Int(rows.integer(row, 6)), host: rows.text(row, 7)), header: rows.bytes(row, 8),
          summary: rows.bytes(row, 9))
        list.runs.append(run)
      }
      return list
    }

    package func chunks(of run: String, from first: Int) throws(StoreProblem) -> [[UInt8]] {
      let rows = try execute(
        """
        SELECT seq, c.epoch, body, c.checksum FROM flowrun_run r LEFT JOIN flowrun_chunk c
        ON c.run = r.number AND seq >= $2::int8 WHERE r.id = $1 ORDER BY seq
        """, [.text(run), .integer(Int64(first))])
      guard rows.count > 0 else { throw .unknown(run: run) }
      if rows.count == 1, rows.isNull(0, 0) { return [] }
      var chunks: [[UInt8]] = []
      for row in 0..<rows.count {
        let body = rows.bytes(row, 2)
        guard rows.integer(row, 0) == Int64(first + row),
          Self.checksum(first + row, Int(rows.integer(row, 1)), body) == Int(rows.integer(row, 3))
        else { throw damaged("part \(first + row + 1) of the journal of run \(run) is damaged") }
        chunks.append(body)
      }
      return chunks
    }

    package func sizes() throws(StoreProblem) -> [String: Int] {
      let rows = try execute(
        """
        SELECT id, (length(summary) + coalesce((SELECT sum(length(body)) FROM flowrun_chunk WHERE run = number), 0))::int8
        FROM flowrun_run
        """)
      var sizes: [String: Int] = [:]
      for row in 0..<rows.count { sizes[rows.text(row, 0)] = Int(rows.integer(row, 1)) }
      return sizes
    }

    /// True if the database has standbys and does not wait for any of them, so that the last writes may be missing
    /// after a failover.
    package var mayForgetAtFailover: Bool {
      let rows = try? execute(
        """
        SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')
          AND current_setting('synchronous_commit') NOT IN ('off', 'local'))
        FROM pg_stat_replication
        """)
      return rows.map { $0.integer(0, 0) > 0 && $0.integer(0, 1) == 0 } ?? false
    }

    package func definition(of run: String) throws(StoreProblem) -> [UInt8] {
      let rows = try execute(
        """
        SELECT bytes, sha256(bytes) = hash FROM flowrun_run LEFT JOIN flowrun_definition ON hash = definition WHERE id = $1
        """, [.text(run)])
      guard rows.count == 1 else { throw .unknown(run: run) }
      guard !rows.isNull(0, 0) else { throw damaged("the workflow of run \(run) is missing") }
      guard rows.integer(0, 1) == 1 else { throw damaged("the workflow of run \(run) is damaged") }
      return rows.bytes(0, 0)
    }

    package func remove(_ runs: [String]) throws(StoreProblem) -> Int {
      var count = 0
      for run in runs {
        count += try execute(
          """
          WITH gone AS (DELETE FROM flowrun_run WHERE id = $1 AND \(Self.standing) <> 'running' RETURNING number),
          chunks AS (DELETE FROM flowrun_chunk WHERE run IN (SELECT number FROM gone)),
          requests AS (DELETE FROM flowrun_request WHERE run IN (SELECT number FROM gone))
          SELECT number FROM gone
          """, [.text(run)]
        ).count
      }
      if count > 0 { _ = try together(Self.removeDefinitions) }
      return count
    }

    package func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int {
      let rows = try execute(
        "INSERT INTO flowrun_request(run, body) SELECT number, $2 FROM flowrun_run WHERE id = $1 RETURNING number",
        [.text(run), .bytes(request)])
      guard rows.count == 1 else { throw .unknown(run: run) }
      return Int(rows.integer(0, 0))
    }

    package func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry] {
      let lease = try own(lease)
      guard !lease.isFenced else { throw .fenced(run: lease.run) }
      // A run without requests has one row of nulls.
      let rows = try execute(
        """
        SELECT q.number, q.body FROM flowrun_run r
        LEFT JOIN flowrun_request q ON q.run = r.number AND answer IS NULL AND q.checksum = \(Self.requestChecksum)
        WHERE r.number = $1::int8 AND r.epoch = $2::int8 ORDER BY q.number
        """,
        [.integer(Int64(lease.number)), .integer(Int64(lease.epoch))])
      guard rows.count > 0 else { throw .fenced(run: lease.run) }
      return (0..<rows.count).filter { !rows.isNull($0, 0) }.map {
        RunRequestEntry(number: Int(rows.integer($0, 0)), body: rows.bytes($0, 1))
      }
    }

    package func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem) {
      _ = try execute(
        "UPDATE flowrun_request SET answer = $2 WHERE number = $1::int8", [.integer(Int64(request)), .bytes(answer)])
    }

    package func answer(to request: Int) throws(StoreProblem) -> [UInt8]? {
      let rows = try execute(
        "DELETE FROM flowrun_request WHERE number = $1::int8 AND answer IS NOT NULL RETURNING answer",
        [.integer(Int64(request))])
      return rows.count == 1 ? rows.bytes(0, 0) : nil
    }
  }
#endif
