/// The limits of flowrun. docs/reference.md lists them, and tests check each of them.
package enum Limits {
  /// The maximum number of bytes in the name of a workflow.
  package static let workflowNameBytes = 100
  /// The maximum number of characters in a step id.
  package static let stepIDCharacters = 64
  /// The maximum number of bytes in a workflow file: 64 MiB.
  package static let fileBytes = 64 << 20
  /// The maximum number of steps in a workflow.
  package static let steps = 1_000_000
  /// The maximum number of nodes in a file after its aliases have been expanded.
  package static let aliasNodes = 100_000
  /// The maximum number of directives (lines that begin with `%`) in a file.
  package static let directives = 100
  /// The maximum nesting depth of mappings and lists.
  package static let nestingDepth = 64
  /// The maximum number of problems that are reported for a file.
  package static let diagnostics = 1_000
  /// The maximum nesting depth of arrays and objects in a JSON text.
  package static let jsonDepth = 128
  /// The maximum number of bytes in a JSON text: 64 MiB.
  package static let jsonBytes = 64 << 20
  /// The maximum number of bytes in a step's outputs as JSON: 1 MiB.
  package static let outputBytes = 1 << 20
  /// The default maximum number of bytes that are kept of each output of a command: 1 MiB.
  package static let usualCommandOutputBytes = 1 << 20
  /// The minimum of a command's `output-limit`: 1 KiB.
  package static let leastCommandOutputBytes = 1 << 10
  /// The maximum of a command's `output-limit`: 64 MiB.
  package static let commandOutputBytes = 64 << 20
  /// The maximum number of bytes in all outputs of a command as JSON. This is enough for two outputs and
  /// `FLOWRUN_OUTPUT` of maximum size, even if each character is written as an escape of six bytes.
  package static let commandOutputsBytes = 6 * (2 * commandOutputBytes + 2 * outputBytes)
  /// The default maximum number of bytes that are recorded of a run's printed text: 64 MiB.
  package static let usualLogBytes = 64 << 20
  /// The default maximum number of bytes that are recorded of a step's printed text: 1 MiB.
  package static let usualStepLogBytes = 1 << 20
  /// The minimum of `log-limit`: 1 KiB. Each step may record this many bytes even if its share of the run's limit is
  /// smaller.
  package static let leastLogBytes = 1 << 10
  /// The maximum value of `log-limit`: 1 GiB.
  package static let logBytes = 1 << 30
  /// The maximum depth of included files. The main file counts as 1.
  package static let includeDepth = 8
  /// The maximum number of items in a step with `foreach`.
  package static let items = 100_000
  /// The maximum number of items of a step that run their workflows at the same time.
  package static let itemWorkflows = 64
  /// The default number of items that run their workflows at the same time.
  package static let usualItemWorkflows = 4
  /// The maximum number of steps in a report that belong to workflows of items. For a failed run, twice as many are
  /// allowed.
  package static let itemWorkflowSteps = 10_000
  /// The maximum number of bytes in the outputs of all items of a step as JSON: 64 MiB.
  package static let fanOutOutputBytes = 64 << 20
  /// The maximum number of files that the patterns in a step's `inputs-from` or `produces` may match.
  package static let watchedFiles = 100_000
  /// The maximum number of bytes in a file that is copied to or from a worker: 1 GiB.
  package static let transferredFileBytes = 1 << 30
  /// The maximum number of bytes in a line of printed text: 64 KiB. A longer line is cut, with a note.
  package static let logLineBytes = 64 << 10
  /// The maximum number of events that may be posted in a run.
  package static let events = 10_000
  /// The maximum number of posts that may wait until an action is called for them (`flow.on`).
  package static let waitingPosts = 100
  /// The maximum number of bytes in the value of a posted event, as JSON: 64 KiB.
  package static let eventValueBytes = 64 << 10
  /// The maximum number of bytes in the values of all posted events of a run: 16 MiB.
  package static let eventValuesBytes = 16 << 20
  /// The maximum number of secrets that a workflow may declare.
  package static let secrets = 100
  /// The maximum number of bytes in a person's answer to a question.
  package static let answerBytes = 64 << 10
  /// The maximum number of bytes in a secret answer to a question. It must fit in one write to a pipe.
  package static let secretAnswerBytes = 4096
  /// The minimum length of a secret or of each line in it. A shorter text would also occur in ordinary output and be
  /// hidden there.
  package static let secretCharacters = 4
  /// The maximum number of bytes in a secret: 64 KiB.
  package static let secretBytes = 64 << 10
  /// The maximum number of lines in a secret.
  package static let secretLines = 1_000
  /// The maximum number of rules under `budgets`.
  package static let budgets = 100
  /// The maximum number of cpus or gpus that a step may request.
  package static let cpus = 65_536
  /// The maximum number of different `resources` in a workflow. Each of them has a separate queue.
  package static let requests = 1_000
  /// The longest time that a command can be given to end before it is killed: 10 minutes.
  package static let stopTime = Duration.seconds(600)
  /// The longest time limit for cleanup in a cancelled run: 1 hour.
  package static let cleanupTime = Duration.seconds(3600)
  /// The maximum number of attempts of a step, including the first one.
  package static let attempts = 100
  /// The maximum number of threads of one quality of service that run steps at the same time.
  public static let threads = 256
}
