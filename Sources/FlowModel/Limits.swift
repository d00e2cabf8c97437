/// The limits of flowrun. They are listed in docs/reference.md, and tests check each of them.
package enum Limits {
  /// Bytes in the name of a workflow.
  package static let workflowNameBytes = 100
  /// Characters in a step id.
  package static let stepIDCharacters = 64
  /// Bytes in a workflow file: 64 MiB.
  package static let fileBytes = 64 << 20
  /// Steps in a workflow.
  package static let steps = 1_000_000
  /// Nodes of a file after its aliases have been expanded.
  package static let aliasNodes = 100_000
  /// Directives (lines that begin with `%`) in a file.
  package static let directives = 100
  /// Nesting depth of mappings and lists.
  package static let nestingDepth = 64
  /// Problems reported for a file.
  package static let diagnostics = 1_000
  /// Nesting depth of arrays and objects in a JSON text.
  package static let jsonDepth = 128
  /// Bytes in a JSON text: 64 MiB.
  package static let jsonBytes = 64 << 20
  /// Bytes of a step's outputs as JSON: 1 MiB.
  package static let outputBytes = 1 << 20
  /// The default number of bytes that are kept of each output of a command: 1 MiB.
  package static let usualCommandOutputBytes = 1 << 20
  /// The minimum of a command's `output-limit`: 1 KiB.
  package static let leastCommandOutputBytes = 1 << 10
  /// The maximum of a command's `output-limit`: 64 MiB.
  package static let commandOutputBytes = 64 << 20
  /// Bytes of all outputs of a command as JSON. It allows for two outputs and those of `FLOWRUN_OUTPUT` at their
  /// maximum, if each character is an escape of six bytes.
  package static let commandOutputsBytes = 6 * (2 * commandOutputBytes + 2 * outputBytes)
  /// The default number of bytes of printed text that are recorded of a run: 64 MiB.
  package static let usualLogBytes = 64 << 20
  /// The default number of bytes of printed text that are recorded of a step: 1 MiB.
  package static let usualStepLogBytes = 1 << 20
  /// The minimum of `log-limit`, and the bytes that each step may record even if its share of the run's limit is less:
  /// 1 KiB.
  package static let leastLogBytes = 1 << 10
  /// The maximum of `log-limit`: 1 GiB.
  package static let logBytes = 1 << 30
  /// Depth of included files, counting the first file.
  package static let includeDepth = 8
  /// Items of a step with `foreach`.
  package static let items = 100_000
  /// The maximum number of items of a step that run their workflows at the same time.
  package static let itemWorkflows = 64
  /// The default number of items that run their workflows at the same time.
  package static let usualItemWorkflows = 4
  /// Steps of items' workflows in a report. If the run failed, twice as many are allowed.
  package static let itemWorkflowSteps = 10_000
  /// Bytes of the outputs of all items of a step as JSON: 64 MiB.
  package static let fanOutOutputBytes = 64 << 20
  /// Files that the `inputs-from` or the `produces` of a step may match.
  package static let watchedFiles = 100_000
  /// Bytes in a file that is sent to or from a worker: 1 GiB.
  package static let transferredFileBytes = 1 << 30
  /// Bytes in a log line: 64 KiB. A longer line is cut with a note.
  package static let logLineBytes = 64 << 10
  /// Events that may be posted in a run.
  package static let events = 10_000
  /// Posts that may wait for calls of an action (`flow.on`).
  package static let waitingPosts = 100
  /// Bytes of the value of a posted event, as JSON: 64 KiB.
  package static let eventValueBytes = 64 << 10
  /// Bytes of the values of all posted events of a run: 16 MiB.
  package static let eventValuesBytes = 16 << 20
  /// Secrets that a workflow may declare.
  package static let secrets = 100
  /// Bytes of an answer to a question.
  package static let answerBytes = 64 << 10
  /// Bytes of a secret answer, which must fit in one write to a pipe.
  package static let secretAnswerBytes = 4096
  /// The minimum length of a secret, or of a line in it. A shorter text would occur in other output, too.
  package static let secretCharacters = 4
  /// Bytes of a secret: 64 KiB.
  package static let secretBytes = 64 << 10
  /// Lines of a secret.
  package static let secretLines = 1_000
  /// Rules under `budgets`.
  package static let budgets = 100
  /// Cpus or gpus that a step may request.
  package static let cpus = 65_536
  /// Different `resources` in a workflow. Each of them has a queue.
  package static let requests = 1_000
  /// The maximum time that a command has to end before it is killed: 10 minutes.
  package static let stopTime = Duration.seconds(600)
  /// The maximum time for cleanup in a cancelled run: 1 hour.
  package static let cleanupTime = Duration.seconds(3600)
  /// Attempts of a step, including the first.
  package static let attempts = 100
  /// Threads of one quality of service that steps may use at the same time.
  public static let threads = 256
}
