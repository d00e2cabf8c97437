/// The size limits of flowrun. docs/reference.md lists them, and tests check their edges.
public enum Limits {
  /// Bytes in the name of a workflow.
  public static let workflowNameBytes = 100
  /// Characters in a step id.
  public static let stepIDCharacters = 64
  /// Bytes in a workflow file: 64 MiB.
  public static let fileBytes = 64 << 20
  /// Steps in a workflow.
  public static let steps = 1_000_000
  /// Nodes after the expansion of a file's aliases.
  public static let aliasNodes = 100_000
  /// Directives, lines that begin with `%`, in a file.
  public static let directives = 100
  /// Nesting depth of mappings and lists.
  public static let nestingDepth = 64
  /// Problems that are reported for one file.
  public static let diagnostics = 1_000
  /// Nesting depth of arrays and objects in a JSON text.
  public static let jsonDepth = 128
  /// Bytes in a JSON text: 64 MiB.
  public static let jsonBytes = 64 << 20
  /// Bytes of output a step may report, as JSON: 1 MiB.
  public static let outputBytes = 1 << 20
  /// Default for the bytes that are kept of each output of a command: 1 MiB.
  public static let usualCommandOutputBytes = 1 << 20
  /// The minimum of a command's `output-limit`: 1 KiB.
  public static let leastCommandOutputBytes = 1 << 10
  /// The maximum of a command's `output-limit`: 64 MiB.
  public static let commandOutputBytes = 64 << 20
  /// Bytes of all outputs of a command as JSON: two outputs and those of `FLOWRUN_OUTPUT` at their longest, if every
  /// character needs an escape of six bytes.
  public static let commandOutputsBytes = 6 * (2 * commandOutputBytes + 2 * outputBytes)
  /// Default for the bytes of printed text that are recorded per run: 64 MiB.
  public static let usualLogBytes = 64 << 20
  /// Default for the bytes of printed text that are recorded per step: 1 MiB.
  public static let usualStepLogBytes = 1 << 20
  /// The minimum of `log-limit`, and the part of a run's limit that is guaranteed to each step: 1 KiB.
  public static let leastLogBytes = 1 << 10
  /// The maximum of `log-limit`: 1 GiB.
  public static let logBytes = 1 << 30
  /// Nesting depth of includes, counting the first file.
  public static let includeDepth = 8
  /// Items of a step with `foreach`.
  public static let items = 100_000
  /// The maximum number of items of a step that run their workflows at the same time.
  public static let itemWorkflows = 64
  /// The default number of items that run their workflows at the same time.
  public static let usualItemWorkflows = 4
  /// Steps of items' workflows in a report; the same limit applies to failed items.
  public static let itemWorkflowSteps = 10_000
  /// Bytes of the outputs of a step's items together, as JSON: 64 MiB.
  public static let fanOutOutputBytes = 64 << 20
  /// Files that the `inputs-from` or the `produces` of a step may match.
  public static let watchedFiles = 100_000
  /// Bytes in a file that is sent to or from a worker: 1 GiB.
  public static let transferredFileBytes = 1 << 30
  /// Bytes in a log line: 64 KiB. A longer line is cut, and the cut is marked.
  public static let logLineBytes = 64 << 10
  /// Events that may be posted in a run.
  public static let events = 10_000
  /// Posts of an event that may wait for an action to be called (`flow.on`).
  public static let waitingPosts = 100
  /// Bytes of the value of a posted event, as JSON: 64 KiB.
  public static let eventValueBytes = 64 << 10
  /// Bytes of the event values of a run together: 16 MiB.
  public static let eventValuesBytes = 16 << 20
  /// Secrets that a workflow may declare.
  public static let secrets = 100
  /// Bytes of the answer to a question.
  public static let answerBytes = 64 << 10
  /// Bytes of a secret that answers a question; it must fit in one write to a pipe.
  public static let secretAnswerBytes = 4096
  /// The minimum number of characters of a secret or of a line of it: shorter ones would match everywhere.
  public static let secretCharacters = 4
  /// Bytes of a secret: 64 KiB.
  public static let secretBytes = 64 << 10
  /// Lines of a secret.
  public static let secretLines = 1_000
  /// Rules under `budgets`.
  public static let budgets = 100
  /// Cpus, or gpus, that a step may request.
  public static let cpus = 65_536
  /// Different `resources` of a workflow; each has its own queue.
  public static let requests = 1_000
  /// The maximum time for a command to end after it was asked to: 10 minutes.
  public static let stopTime = Duration.seconds(600)
  /// The maximum time for cleanup in a cancelled run: an hour.
  public static let cleanupTime = Duration.seconds(3600)
  /// Attempts of one step, including the first.
  public static let attempts = 100
  /// Threads that steps of one quality of service may occupy at the same time.
  public static let threads = 256
}
