import FlowModel

/// A task of a job array: one item's job.
struct ArrayTask: Sendable, Hashable {
  /// The array's job.
  var array: Int
  /// The task's index in it.
  var index: Int

  /// The task in Slurm's notation: `1234_17`.
  var text: String { "\(array)_\(index)" }
}

/// Items of one step with the same request that are submitted together, by their indices in one array.
struct ArrayBatch: Sendable, Hashable {
  /// The name of the array: `run.step.attempt`, followed by `+1001` if index 0 is item 1001.
  var name: String
  /// The resources of each item.
  var request: MachineResources
  /// The indices, in order.
  var indices: [Int]
  /// The number of tasks that may run at once.
  var atOnce: Int

  /// The list in the notation of `sbatch --array`: `0-499%50`.
  var list: String {
    var ranges: [String] = []
    var rest = indices[...]
    while let first = rest.first {
      var last = first
      rest.removeFirst()
      while rest.first == last + 1 { last = rest.removeFirst() }
      ranges.append(first == last ? "\(first)" : "\(first)-\(last)")
    }
    return ranges.joined(separator: ",") + "%\(atOnce)"
  }
}

/// The engine's list of unfinished array tasks.
struct ArrayListing: Sendable, Equatable {
  /// The tasks in the queue.
  var waiting: Set<ArrayTask> = []
  /// The tasks with an allocation, and their job numbers.
  var running: [ArrayTask: Int] = [:]
  /// The tasks that are about to end.
  var ending: Set<ArrayTask> = []

  /// The format in which `squeue` must print a line.
  static let format = "%F %K %A %T"

  init() {}

  /// Parses the lines of `squeue`.
  init(_ lines: [String]) {
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 4, let array = Int(words[0]), let job = Int(words[2]) else { continue }
      for index in Self.indices(words[1]) {
        let task = ArrayTask(array: array, index: index)
        switch words[3] {
        case "RUNNING", "SUSPENDED": running[task] = job
        case "COMPLETING", "STAGE_OUT": ending.insert(task)
        default: waiting.insert(task)
        }
      }
    }
  }

  /// The indices of a list such as `0-4,7%2` or, with a step, `1-9:2%2`, in every form that `sbatch --array` accepts.
  static func indices(_ text: String) -> [Int] {
    text.prefix { $0 != "%" }.split(separator: ",").flatMap { part -> [Int] in
      let range = part.split(separator: ":")
      let ends = (range.first ?? "").split(separator: "-").compactMap { Int($0) }
      let step = range.count > 1 ? Int(range[1]) ?? 1 : 1
      guard let first = ends.first, let last = ends.last, first <= last, step > 0 else { return [] }
      return Array(stride(from: first, through: last, by: step))
    }
  }
}

/// The operations of an engine with job arrays; all are called on a thread that may block.
struct ArrayEngine: Sendable {
  /// The maximum number of indices in an array, starting at 0.
  var indices: Int
  /// The time that a task may wait for its allocation once its item is to run.
  var wait: Duration
  /// The time for which a submission is repeated while the engine temporarily cannot accept it.
  var patience = Duration.zero
  /// Submits an array and returns its job. `known` are the arrays of the run whose numbers arrived. If it `mayExist`,
  /// the engine may have accepted it before.
  var submit: @Sendable (_ batch: ArrayBatch, _ known: [Int], _ mayExist: Bool) throws(ExecutorProblem) -> Int
  /// The unfinished tasks of these arrays.
  var list: @Sendable (_ arrays: [Int]) throws(ExecutorProblem) -> ArrayListing
  /// Cancels tasks or whole arrays, given in the engine's notation.
  var cancel: @Sendable (_ jobs: [String]) -> Void
  /// Changes the number of concurrent tasks of an array.
  var limit: @Sendable (_ array: Int, _ atOnce: Int) -> Void
  /// The command that cancels all arrays of the run, for the end of this process.
  var release: [String]
  /// The environment of that command.
  var environment: [String: String]
  /// Receives messages for the user.
  var tell: @Sendable (String) -> Void = { _ in }
  /// The command that starts the worker of a task's body, once the task has its allocation.
  var start:
    @Sendable (_ task: ArrayTask, _ job: Int, _ name: String, _ request: MachineResources, _ result: ResultFile?) ->
      WorkerStart
}
