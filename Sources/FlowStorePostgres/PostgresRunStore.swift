#if Network
  import FlowPostgres
  import FlowStore
  import FlowPlatform
  import Synchronization

  /// Stores runs in a PostgreSQL database, which any number of machines can use.
  ///
  /// A process has a run through a lease that it renews. A process that has lost its lease is fenced by the next epoch,
  /// because each write locks the row of the run. If the connection breaks, a durable run repeats the write under the
  /// same number, because the database may be restarted during a run.
  package final class PostgresRunStore: RunStore {
    private let address: String
    /// The address without its password, for messages.
    private let shown: String
    private let leaseMilliseconds: Int
    private let connection: Mutex<PostgresConnection>

    /// The maximum time for which a durable write waits for an unavailable database.
    private static let patience = Duration.seconds(60)
    private static let pauseMicroseconds: useconds_t = 250_000

    /// Connects to the database at an address such as `postgres://USER@HOST/NAME`, and creates missing tables. If the
    /// process of a run does not renew its lease, another process may take over the run after `leaseMilliseconds`.
    package init(_ address: String, leaseMilliseconds: Int = 20_000) throws(StoreProblem) {
      self.address = address
      self.leaseMilliseconds = leaseMilliseconds
      shown = StoreAddress.masked(address)
      connection = Mutex(PostgresConnection(address))
      let rows = try together(Self.schema)
      let version = Int(rows.last?.integer(0, 0) ?? 0)
      guard version <= Self.version else { throw .newer(path: shown, version: version) }
    }

    // MARK: Calls

    /// Runs statements in one transaction.
    func together(_ statements: [PostgresStatement]) throws(StoreProblem) -> [PostgresRows] {
      do throws(PostgresProblem) {
        return try connection.withLock { connection throws(PostgresProblem) in
          UncheckedRows(rows: try connection.runTogether(statements))
        }.rows
      } catch {
        throw problem(error)
      }
    }

    func execute(_ sql: String, _ parameters: [PostgresParameter] = []) throws(StoreProblem) -> PostgresRows {
      do throws(PostgresProblem) {
        return try connection.withLock { connection throws(PostgresProblem) in
          UncheckedRows(rows: [try connection.run(sql, parameters)])
        }.rows[0]
      } catch {
        throw problem(error)
      }
    }

    /// Proof of safety: `rows` belong to the only caller that requested them, and libpq keeps no reference to a result.
    private struct UncheckedRows: @unchecked Sendable {
      let rows: [PostgresRows]
    }

    private func problem(_ problem: PostgresProblem) -> StoreProblem {
      .unusable(path: shown, cause: StoreAddress.masked(problem.message, about: address))
    }

    /// Executes a write. If it is durable, repeats it for up to ``patience`` while the database is unavailable.
    /// Executing the statements twice must have the same effect as once.
    private func persistently(
      _ isDurable: Bool, _ statements: [PostgresStatement]
    ) throws(StoreProblem) -> [PostgresRows] {
      let deadline = ContinuousClock.now + (isDurable ? Self.patience : .zero)
      while true {
        let outcome = connection.withLock { connection -> Result<UncheckedRows, PostgresProblem> in
          do throws(PostgresProblem) {
            return .success(UncheckedRows(rows: try connection.runTogether(statements)))
          } catch {
            return .failure(error)
          }
        }
        switch outcome {
        case .success(let rows): return rows.rows
        case .failure(.storage(let message)): throw problem(.storage(message))
        case .failure(let error):
          guard ContinuousClock.now < deadline else { throw problem(error) }
          usleep(Self.pauseMicroseconds)
        }
      }
    }

    // MARK: Writing

    package func create(
      _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
    ) throws(StoreProblem) -> any RunLease {
      let sentAt = ContinuousClock.now
      let rows = try together(
        Self.keep(definition) + [insertion(of: run, definition, isHeld: true)] + insertions(of: chunks, run)
          + Self.beginning(isDurable: isDurable))
      let number = Int(rows[2].integer(0, 0))
      return lease(run.id, epoch: run.epoch, number: number, next: chunks.count, since: sentAt)
    }

    package func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem) {
      _ = try together(
        Self.keep(definition) + [insertion(of: run, definition, isHeld: false)] + insertions(of: chunks, run))
    }

    private func lease(
      _ run: String, epoch: Int, number: Int, next: Int, since sentAt: ContinuousClock.Instant
    ) -> PostgresLease {
      PostgresLease(
        run: run, epoch: epoch, number: number, next: next, address: address, milliseconds: leaseMilliseconds,
        sentAt: sentAt)
    }

    private func insertion(of run: StoredRun, _ definition: [UInt8], isHeld: Bool) -> PostgresStatement {
      let lease = isHeld ? "clock_timestamp() + \(leaseMilliseconds) * interval '1 millisecond'" : "NULL"
      return PostgresStatement(
        sql: """
          INSERT INTO flowrun_run(
            id, workflow, file, definition, started, state, epoch, process, host, header, summary, lease_until)
          VALUES($1, $2, $3, sha256($4), $5::int8, $6, $7::int8, $8::int8, $9, $10, $11, \(lease)) RETURNING number
          """,
        parameters: [
          .text(run.id), .text(run.workflow), .text(run.file), .bytes(definition),
          .integer(Int64(run.startedMilliseconds)), .text(run.state.rawValue), .integer(Int64(run.epoch)),
          .integer(Int64(run.holder.process)), .text(run.holder.host), .bytes(run.header), .bytes(run.summary),
        ])
    }

    private func insertions(of chunks: [[UInt8]], _ run: StoredRun) -> [PostgresStatement] {
      chunks.enumerated().map { index, chunk in
        PostgresStatement(
          sql: """
            INSERT INTO flowrun_chunk SELECT number, $2::int8, $3::int8, $4, $5::int8 FROM flowrun_run WHERE id = $1
            """,
          parameters: [
            .text(run.id), .integer(Int64(index)), .integer(Int64(run.epoch)), .bytes(chunk),
            .integer(Int64(Self.checksum(index, run.epoch, chunk))),
          ])
      }
    }

    package func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem) {
      let lease = try own(lease)
      guard !lease.isFenced else { throw .fenced(run: lease.run) }
      let index = lease.next.load(ordering: .relaxed)
      let rows = try persistently(
        isDurable, Self.beginning(isDurable: isDurable) + [addition(of: chunk, at: index, to: lease)])
      guard rows.last?.count == 1 else { throw .fenced(run: lease.run) }
      lease.next.add(1, ordering: .relaxed)
    }

    /// Returns the statement that adds a chunk under a lease, and only once even if it is sent several times. The row
    /// of the run is locked until the chunk has been added, so that a process that takes over the run reads the chunk.
    private func addition(of chunk: [UInt8], at index: Int, to lease: PostgresLease) -> PostgresStatement {
      PostgresStatement(
        sql: """
          WITH held AS (SELECT number FROM flowrun_run WHERE number = $1::int8 AND epoch = $3::int8 FOR SHARE)
          INSERT INTO flowrun_chunk SELECT number, $2::int8, $3::int8, $4, $5::int8 FROM held
          ON CONFLICT (run, seq) DO UPDATE SET epoch = excluded.epoch
            WHERE flowrun_chunk.epoch = excluded.epoch AND flowrun_chunk.checksum = excluded.checksum
          RETURNING seq
          """,
        parameters: [
          .integer(Int64(lease.number)), .integer(Int64(index)), .integer(Int64(lease.epoch)), .bytes(chunk),
          .integer(Int64(Self.checksum(index, lease.epoch, chunk))),
        ])
    }

    package func finish(_ lease: any RunLease, state: StoredRun.State, summary: [UInt8]) throws(StoreProblem) {
      let lease = try own(lease)
      let rows = try persistently(
        true,
        [
          PostgresStatement(
            sql: """
              UPDATE flowrun_run SET state = $3, summary = $4, lease_until = NULL
              WHERE number = $1::int8 AND epoch = $2::int8 RETURNING 1
              """,
            parameters: [
              .integer(Int64(lease.number)), .integer(Int64(lease.epoch)), .text(state.rawValue), .bytes(summary),
            ]),
          PostgresStatement(
            sql: "DELETE FROM flowrun_request WHERE run = $1::int8 AND answer IS NULL",
            parameters: [.integer(Int64(lease.number))]),
        ])
      guard rows.first?.count == 1 else { throw .fenced(run: lease.run) }
      lease.finish()
    }

    package func take(
      _ run: String, at position: RunPosition, by holder: RunHolder
    ) throws(StoreProblem) -> any RunLease {
      let sentAt = ContinuousClock.now
      let rows = try together(
        [
          // This waits for a write in progress, which the next statement then sees.
          PostgresStatement(sql: "SELECT 1 FROM flowrun_run WHERE id = $1 FOR UPDATE", parameters: [.text(run)]),
          PostgresStatement(
            sql: """
              UPDATE flowrun_run SET epoch = epoch + 1, state = 'running', process = $4::int8, host = $5,
                lease_until = clock_timestamp() + $6::int8 * interval '1 millisecond'
              WHERE id = $1 AND epoch = $2::int8 AND \(Self.standing) <> 'running'
                AND (SELECT count(*) FROM flowrun_chunk WHERE run = number) = $3::int8
              RETURNING number
              """,
            parameters: [
              .text(run), .integer(Int64(position.epoch)), .integer(Int64(position.chunkCount)),
              .integer(Int64(holder.process)), .text(holder.host), .integer(Int64(leaseMilliseconds)),
            ]),
        ])
      if let last = rows.last, last.count == 1 {
        return lease(
          run, epoch: position.epoch + 1, number: Int(last.integer(0, 0)), next: position.chunkCount, since: sentAt)
      }
      guard let stored = try self.run(run) else { throw .unknown(run: run) }
      throw stored.state == .running ? .held(run: run, by: stored.holder) : .moved(run: run)
    }

    package func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem) {
      let lease = try own(lease)
      // The row of an interrupted run has the state `running` and no lease.
      let state = run.state == .interrupted ? .running : run.state
      let rows = try execute(
        """
        UPDATE flowrun_run SET epoch = $3::int8, state = $4, process = $5::int8, host = $6, lease_until = NULL
        WHERE number = $1::int8 AND epoch = $2::int8 RETURNING 1
        """,
        [
          .integer(Int64(lease.number)), .integer(Int64(lease.epoch)), .integer(Int64(run.epoch)),
          .text(state.rawValue), .integer(Int64(run.holder.process)), .text(run.holder.host),
        ])
      guard rows.count == 1 else { throw .fenced(run: lease.run) }
      lease.finish()
    }

    package func resume(
      _ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]
    ) throws(StoreProblem) {
      let lease = try own(lease)
      let first = lease.next.load(ordering: .relaxed)
      let change = PostgresStatement(
        sql: """
          UPDATE flowrun_run SET definition = sha256($3) WHERE number = $1::int8 AND epoch = $2::int8 RETURNING 1
          """,
        parameters: [.integer(Int64(lease.number)), .integer(Int64(lease.epoch)), .bytes(definition)])
      let additions = chunks.enumerated().map { addition(of: $1, at: first + $0, to: lease) }
      let rows = try persistently(true, Self.keep(definition) + [change] + additions)
      guard rows.suffix(additions.count + 1).allSatisfy({ $0.count == 1 }) else { throw .fenced(run: lease.run) }
      lease.next.add(chunks.count, ordering: .relaxed)
    }

    func own(_ lease: any RunLease) throws(StoreProblem) -> PostgresLease {
      guard let own = lease as? PostgresLease else { throw .fenced(run: lease.run) }
      return own
    }

    /// Returns the error for damage to the store.
    func damaged(_ cause: String) -> StoreProblem { .damaged(path: shown, cause: cause) }
  }
#endif
