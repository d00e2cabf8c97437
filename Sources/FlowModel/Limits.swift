/// The sizes past which flowrun refuses, in one place; docs/reference.md lists them and tests hold their edges.
public enum Limits {
  /// Bytes in the name of a workflow.
  public static let workflowNameBytes = 100
  /// Characters in a step id.
  public static let stepIDCharacters = 64
  /// Bytes in a workflow file: 64 MiB.
  public static let fileBytes = 64 << 20
  /// Steps in a workflow.
  public static let steps = 1_000_000
  /// Nodes that the aliases of a file may expand to.
  public static let aliasNodes = 100_000
  /// Directives, lines that begin with `%`, in a file.
  public static let directives = 100
  /// How deep maps and lists may nest.
  public static let nestingDepth = 64
  /// Problems that are named in one file; the rest is not shown.
  public static let diagnostics = 1_000
  /// How deep arrays and objects of a JSON text may nest.
  public static let jsonDepth = 128
  /// Bytes in a JSON text: 64 MiB.
  public static let jsonBytes = 64 << 20
  /// Bytes of output a step may report, as JSON: 1 MiB.
  public static let outputBytes = 1 << 20
  /// Bytes that are kept of each output of a command where nothing says so: 1 MiB.
  public static let usualCommandOutputBytes = 1 << 20
  /// The fewest bytes that `output-limit` may keep of an output of a command: 1 KiB.
  public static let leastCommandOutputBytes = 1 << 10
  /// The most bytes that `output-limit` may keep of an output of a command: 64 MiB.
  public static let commandOutputBytes = 64 << 20
  /// Bytes that all outputs of a command may have as JSON: two outputs and those of `FLOWRUN_OUTPUT` at their longest,
  /// every character of them the six of an escape.
  public static let commandOutputsBytes = 6 * (2 * commandOutputBytes + 2 * outputBytes)
  /// Bytes of printed text that are recorded of a run where nothing says so: 64 MiB.
  public static let usualLogBytes = 64 << 20
  /// Bytes of printed text that are recorded of a step where nothing says so: 1 MiB.
  public static let usualStepLogBytes = 1 << 20
  /// The fewest bytes that `log-limit` may keep, and that a step has whatever others print: 1 KiB.
  public static let leastLogBytes = 1 << 10
  /// The most bytes that `log-limit` may keep: 1 GiB.
  public static let logBytes = 1 << 30
  /// How deep files may include each other, the first counted.
  public static let includeDepth = 8
  /// Items of a step with `foreach`.
  public static let items = 100_000
  /// How many items of a step may run a workflow each at once.
  public static let itemWorkflows = 64
  /// How many do where nothing says so.
  public static let usualItemWorkflows = 4
  /// Steps of items' workflows that a report shows, and as many again of items that failed.
  public static let itemWorkflowSteps = 10_000
  /// Bytes that the items of a step may return together, as JSON: 64 MiB.
  public static let fanOutOutputBytes = 64 << 20
  /// Files that `inputs-from`, or `produces`, of a step may mean.
  public static let watchedFiles = 100_000
  /// Bytes in a file that travels to a worker or back: 1 GiB.
  public static let transferredFileBytes = 1 << 30
  /// Bytes in a log line: 64 KiB; a longer one is cut and says so.
  public static let logLineBytes = 64 << 10
  /// Events that may be posted in a run.
  public static let events = 10_000
  /// Posts of an event that may wait for the call of an action (`flow.on`).
  public static let waitingPosts = 100
  /// Bytes of the value that an event is posted with, as JSON: 64 KiB.
  public static let eventValueBytes = 64 << 10
  /// Bytes of the values of all events of a run: 16 MiB.
  public static let eventValuesBytes = 16 << 20
  /// Secrets that a workflow may declare.
  public static let secrets = 100
  /// Bytes in the text that answers a question.
  public static let answerBytes = 64 << 10
  /// Bytes in a secret that answers a question: it goes through a pipe at once.
  public static let secretAnswerBytes = 4096
  /// Characters that a secret, or a line of it, has at least: shorter ones would be found everywhere.
  public static let secretCharacters = 4
  /// Bytes of a secret: 64 KiB.
  public static let secretBytes = 64 << 10
  /// Lines of a secret.
  public static let secretLines = 1_000
  /// Rules under `budgets`.
  public static let budgets = 100
  /// Cpus, and gpus, that a step may ask for.
  public static let cpus = 65_536
  /// Different `resources` of a workflow: each different one has a queue of its own.
  public static let requests = 1_000
  /// The most time that a command has to end after it was asked to: 10 minutes.
  public static let stopTime = Duration.seconds(600)
  /// The most time for cleanup in a cancelled run: an hour.
  public static let cleanupTime = Duration.seconds(3600)
  /// Attempts of one step, the first included.
  public static let attempts = 100
  /// Threads that may be occupied at once by steps of one quality of service.
  public static let threads = 256
}
