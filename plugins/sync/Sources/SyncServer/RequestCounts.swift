#if Network
  import SyncEngine
  import Synchronization

  /// Counters since the start of the server, in the format of Prometheus.
  final class RequestCounts: Sendable {
    private struct State {
      var answers: [Int: Int] = [:]
      var committed = 0
      var conflicts = 0
      var refused = 0
    }

    private let state = Mutex(State())

    func count(status: Int) { state.withLock { $0.answers[status, default: 0] += 1 } }

    func count(_ reply: CommitReply) {
      state.withLock { state in
        for result in reply.results {
          switch result {
          case .committed: state.committed += 1
          case .conflict: state.conflicts += 1
          case .refused: state.refused += 1
          case .unchanged: break
          }
        }
      }
    }

    /// Returns the counters in version 0.0.4 of Prometheus' text format.
    func text(channels: Int, connections: (open: Int, closed: Int)) -> String {
      let state = state.withLock { $0 }
      var lines = ["# TYPE flowrun_sync_answers_total counter"]
      for (status, count) in state.answers.sorted(by: { $0.key < $1.key }) {
        lines.append("flowrun_sync_answers_total{status=\"\(status)\"} \(count)")
      }
      lines.append("# TYPE flowrun_sync_operations_total counter")
      for (result, count) in [
        ("committed", state.committed), ("conflict", state.conflicts), ("refused", state.refused),
      ] {
        lines.append("flowrun_sync_operations_total{result=\"\(result)\"} \(count)")
      }
      lines += ["# TYPE flowrun_sync_channels gauge", "flowrun_sync_channels \(channels)"]
      lines += ["# TYPE flowrun_sync_connections gauge", "flowrun_sync_connections \(connections.open)"]
      lines += [
        "# TYPE flowrun_sync_connections_closed_total counter",
        "flowrun_sync_connections_closed_total \(connections.closed)",
      ]
      return lines.joined(separator: "\n") + "\n"
    }
  }
#endif
