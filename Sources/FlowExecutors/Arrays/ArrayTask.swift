import FlowModel

/// A task of a job array: the job that runs one item.
struct ArrayTask: Sendable, Hashable {
  /// The job number of the task's array.
  var array: Int
  /// The index of the task in its array.
  var index: Int

  /// The task in Slurm's notation, such as `1234_17`.
  var text: String { "\(array)_\(index)" }
}

/// Items of one step that request the same resources and are submitted as one array.
struct ArrayBatch: Sendable, Hashable {
  /// The name of the array, `run.step.attempt`. The suffix `+1001` means that index 0 stands for item 1001.
  var name: String
  var request: MachineResources
  /// The indices of the tasks, in ascending order.
  var indices: [Int]
  /// The maximum number of tasks that the engine may run at the same time.
  var atOnce: Int

  /// The indices in the notation of `sbatch --array`, such as `0-499%50`.
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

/// The unfinished tasks of arrays, as listed by the engine.
struct ArrayListing: Sendable, Equatable {
  /// The tasks that have no allocation.
  var waiting: Set<ArrayTask> = []
  /// The job numbers of the tasks that have an allocation.
  var running: [ArrayTask: Int] = [:]
  /// The tasks that are about to end.
  var ending: Set<ArrayTask> = []

  /// The format to request from `squeue`.
  static let format = "%F %K %A %T"

  init() {}

  /// Parses the output lines of `squeue`.
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

  /// Returns the indices in a list of any form that `sbatch --array` accepts, such as `0-4,7%2` or, with a step,
  /// `1-9:2%2`.
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

/// The operations that an engine with job arrays supports. Each may block the calling thread.
struct ArrayEngine: Sendable {
  /// The maximum number of indices in an array. Indices start at 0.
  var indices: Int
  /// The maximum time from the request of an item to the allocation of its task.
  var wait: Duration
  /// The maximum time for which a submission is repeated while the engine temporarily refuses it.
  var patience = Duration.zero
  /// Submits an array and returns its job number. `known` contains the run's arrays whose numbers were received.
  /// `mayExist` is true if the engine may have accepted the array in an earlier attempt.
  var submit: @Sendable (_ batch: ArrayBatch, _ known: [Int], _ mayExist: Bool) throws(ExecutorProblem) -> Int
  /// Returns the unfinished tasks of these arrays.
  var list: @Sendable (_ arrays: [Int]) throws(ExecutorProblem) -> ArrayListing
  /// Cancels tasks or whole arrays, given in the engine's notation.
  var cancel: @Sendable (_ jobs: [String]) -> Void
  /// Changes the maximum number of concurrent tasks of an array.
  var limit: @Sendable (_ array: Int, _ atOnce: Int) -> Void
  /// The command that cancels all arrays of the run. It also runs if this process ends unexpectedly.
  var release: [String]
  /// The environment of the `release` command.
  var environment: [String: String]
  /// Receives messages for the user.
  var tell: @Sendable (String) -> Void = { _ in }
  /// Returns the command that starts the worker of a task with an allocation.
  var start:
    @Sendable (_ task: ArrayTask, _ job: Int, _ name: String, _ request: MachineResources, _ result: ResultFile?) ->
      WorkerStart
}
