import FlowModel

/// A task of a job array: one item's job.
struct ArrayTask: Sendable, Hashable {
  /// The array's job.
  var array: Int
  /// The task's index in it.
  var index: Int

  /// As Slurm writes it: `1234_17`.
  var text: String { "\(array)_\(index)" }
}

/// What is submitted at once: items of one step that take the same, by their indices in one array.
struct ArrayBatch: Sendable, Hashable {
  /// What the array is called: `run.step.attempt`, with `+1001` behind it where index 0 stands for item 1001.
  var name: String
  /// What each of them takes.
  var request: MachineResources
  /// The indices, in order.
  var indices: [Int]
  /// The number of tasks that may run at once.
  var atOnce: Int

  /// As `sbatch --array` takes it: `0-499%50`.
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

/// What an engine says of the tasks of arrays that have not ended.
struct ArrayListing: Sendable, Equatable {
  /// Those that wait in the queue.
  var waiting: Set<ArrayTask> = []
  /// Those that have an allocation, with the numbers of their jobs.
  var running: [ArrayTask: Int] = [:]
  /// Those that are about to end.
  var ending: Set<ArrayTask> = []

  /// How `squeue` is to write a line.
  static let format = "%F %K %A %T"

  init() {}

  /// What these lines say.
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

  /// The indices of a list such as `0-4,7%2`, or with a step, `1-9:2%2`, in every form that `sbatch --array` takes.
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

/// What an engine does for job arrays; all of it is called on a thread that may wait.
struct ArrayEngine: Sendable {
  /// The number of indices that an array may have, from 0 on.
  var indices: Int
  /// How long a task may wait for its allocation once its item is to be run.
  var wait: Duration
  /// For how long an array is submitted again that the engine cannot take now.
  var patience = Duration.zero
  /// Submits an array and returns its job. `known` are the arrays of the run whose numbers arrived; if it `mayExist`, the engine
  /// may have taken it before.
  var submit: @Sendable (_ batch: ArrayBatch, _ known: [Int], _ mayExist: Bool) throws(ExecutorProblem) -> Int
  /// What has not ended of these arrays.
  var list: @Sendable (_ arrays: [Int]) throws(ExecutorProblem) -> ArrayListing
  /// Ends tasks, or whole arrays, by their texts.
  var cancel: @Sendable (_ jobs: [String]) -> Void
  /// Changes how many tasks of an array may run at once.
  var limit: @Sendable (_ array: Int, _ atOnce: Int) -> Void
  /// The command that cancels all arrays of the run, for when this process ends.
  var release: [String]
  /// The environment in which it runs.
  var environment: [String: String]
  /// Receives what a user should know.
  var tell: @Sendable (String) -> Void = { _ in }
  /// How the worker of a task's body is started, once the task has its allocation.
  var start:
    @Sendable (_ task: ArrayTask, _ job: Int, _ name: String, _ request: MachineResources, _ result: ResultFile?) ->
      WorkerStart
}
