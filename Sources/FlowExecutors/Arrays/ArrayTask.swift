import FlowModel

/// A task of a job array, which is the job of one item.
struct ArrayTask: Sendable, Hashable {
  /// The job number of the array.
  var array: Int
  /// The task's index in the array.
  var index: Int

  /// The task in Slurm's notation, such as `1234_17`.
  var text: String { "\(array)_\(index)" }
}

/// Items of one step with equal requests that are submitted in one array.
struct ArrayBatch: Sendable, Hashable {
  /// The name of the array: `run.step.attempt`. If index 0 is item 1001, `+1001` follows.
  var name: String
  /// The resources of each item.
  var request: MachineResources
  /// The indices, in ascending order.
  var indices: [Int]
  /// The maximum number of concurrent tasks.
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

/// The engine's list of unfinished array tasks.
struct ArrayListing: Sendable, Equatable {
  /// The tasks in the queue.
  var waiting: Set<ArrayTask> = []
  /// The tasks with an allocation, and their job numbers.
  var running: [ArrayTask: Int] = [:]
  /// The tasks that are about to end.
  var ending: Set<ArrayTask> = []

  /// The output format that `squeue` must use.
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

  /// Returns the indices of a list in any form that `sbatch --array` accepts, such as `0-4,7%2` or, with a step,
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

/// The operations of an engine with job arrays. Each may block the calling thread.
struct ArrayEngine: Sendable {
  /// The maximum number of indices in an array. Indices start at 0.
  var indices: Int
  /// The time for which a task may wait for its allocation after its item was requested.
  var wait: Duration
  /// The time for which a submission is repeated while the engine temporarily refuses it.
  var patience = Duration.zero
  /// Submits an array and returns its job number. `known` are the arrays of the run whose numbers were received.
  /// `mayExist` is true if the engine may have accepted the array in an earlier attempt.
  var submit: @Sendable (_ batch: ArrayBatch, _ known: [Int], _ mayExist: Bool) throws(ExecutorProblem) -> Int
  /// Returns the unfinished tasks of these arrays.
  var list: @Sendable (_ arrays: [Int]) throws(ExecutorProblem) -> ArrayListing
  /// Cancels tasks or arrays, which are given in the engine's notation.
  var cancel: @Sendable (_ jobs: [String]) -> Void
  /// Changes the maximum number of concurrent tasks of an array.
  var limit: @Sendable (_ array: Int, _ atOnce: Int) -> Void
  /// The command that cancels all arrays of the run if this process ends.
  var release: [String]
  /// The environment of that command.
  var environment: [String: String]
  /// Receives messages for the user.
  var tell: @Sendable (String) -> Void = { _ in }
  /// Returns the command that starts the worker of a task with an allocation.
  var start:
    @Sendable (_ task: ArrayTask, _ job: Int, _ name: String, _ request: MachineResources, _ result: ResultFile?) ->
      WorkerStart
}
