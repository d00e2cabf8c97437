import FlowStore

/// Checks whether a run store fulfills the contract of `RunStore`. Each check returns the violations, or an empty
/// array.
///
/// ```swift
/// #expect(try RunStoreConformance { try SQLiteRunStore(path) }.problems() == [])
/// ```
public struct RunStoreConformance: Sendable {
  /// Opens the store under test. Each call must behave like opening it in another process.
  private let open: @Sendable () throws -> any RunStore
  private let holder = RunHolder(process: 4711, host: "test")

  /// Creates checks of the store that `open` returns. The store must be empty.
  public init(_ open: @escaping @Sendable () throws -> any RunStore) { self.open = open }

  /// Runs all checks and returns the violations.
  public func problems() throws -> [String] {
    try lifeProblems() + leaseProblems() + listProblems() + requestProblems() + removalProblems()
  }

  private func run(_ id: String, started: Int = 1_000, state: StoredRun.State = .running) -> StoredRun {
    StoredRun(
      id: id, workflow: "trial", file: "/trial.yaml", startedMilliseconds: started, state: state, epoch: 1,
      holder: holder, header: [1, 2, 3])
  }

  private func check(_ problems: inout [String], _ isRight: Bool, _ sentence: String) {
    if !isRight { problems.append(sentence) }
  }

  private func lifeProblems() throws -> [String] {
    var problems: [String] = []
    let (store, other) = (try open(), try open())
    let lease = try store.create(run("life-1"), definition: [9, 9])
    check(&problems, lease.epoch == 1, "the first epoch is 1")
    for number in 0..<20 { try store.append([UInt8(number)], to: lease, isDurable: number % 2 == 0) }
    check(&problems, try other.chunks(of: "life-1") == (0..<20).map { [UInt8($0)] }, "chunks come back in order")
    check(
      &problems, try other.chunks(of: "life-1", from: 18) == [[18], [19]],
      "chunks come back behind those that are known")
    check(&problems, try other.chunks(of: "life-1", from: 20).isEmpty, "behind the last chunk there is none")
    check(&problems, try other.definition(of: "life-1") == [9, 9], "the definition comes back")
    check(&problems, try other.runs(RunFilter()).first?.state == .running, "a run that is held goes on")
    try store.finish(lease, state: .partial, summary: [7])
    let stored = try other.runs(RunFilter()).first
    check(&problems, stored?.state == .partial && stored?.summary == [7], "the end comes back")
    check(&problems, stored?.header == [1, 2, 3] && stored?.holder == holder, "header and holder come back")
    let begun = try store.create(
      run("life-3", started: 3_000), definition: [9, 9], chunks: [[4], [5]], isDurable: true)
    try store.append([6], to: begun, isDurable: false)
    check(&problems, try other.chunks(of: "life-3") == [[4], [5], [6]], "a run begins with its first chunks")
    try store.finish(begun, state: .success, summary: [])
    try store.keep(run("life-2", started: 2_000, state: .success), definition: [9, 9], chunks: [[1], [], [2]])
    check(&problems, try other.chunks(of: "life-2") == [[1], [], [2]], "a run kept at once has its chunks")
    return problems
  }

  private func leaseProblems() throws -> [String] {
    var problems: [String] = []
    let (store, other) = (try open(), try open())
    var lease: (any RunLease)? = try store.create(run("lease-1"), definition: [8])
    check(
      &problems,
      refusal { _ = try take("lease-1", other, chunks: 0) } == .held(run: "lease-1", by: holder),
      "a run that is held is not given to another")
    try store.append([1], to: lease!, isDurable: true)
    let old = lease
    lease = nil
    check(&problems, old?.run == "lease-1", "a lease knows its run")
    try store.finish(old!, state: .failure, summary: [])
    check(
      &problems, refusal { _ = try take("unknown", other, chunks: 0) } == .unknown(run: "unknown"),
      "an unknown run is not given")
    check(
      &problems, refusal { _ = try take("lease-1", other, chunks: 0) } == .moved(run: "lease-1"),
      "a run of which there is more than the taker has read is not given")
    check(
      &problems, refusal { _ = try take("lease-1", other, epoch: 2, chunks: 1) } == .moved(run: "lease-1"),
      "a run of another epoch than the taker has read is not given")
    let second = try take("lease-1", other, chunks: 1)
    check(&problems, second.epoch == 2, "the next holder has the next epoch")
    check(
      &problems, refusal { try store.append([2], to: old!, isDurable: false) } == .fenced(run: "lease-1"),
      "what comes under an older epoch is refused")
    check(
      &problems, refusal { try store.finish(old!, state: .success, summary: []) } == .fenced(run: "lease-1"),
      "an end that comes under an older epoch is refused")
    _ = try store.ask("lease-1", [5])
    check(
      &problems, refusal { _ = try store.requests(of: old!) } == .fenced(run: "lease-1"),
      "a request is not given to a process that has lost its run")
    check(
      &problems, try other.requests(of: second).map(\.body) == [[5]],
      "a request is given to the process that has taken over the run")
    try other.append([3], to: second, isDurable: true)
    check(&problems, try store.chunks(of: "lease-1") == [[1], [3]], "the next holder goes on behind the chunks before")
    try other.finish(second, state: .success, summary: [])
    try giveBackProblems(store, other, &problems)
    return problems
  }

  /// Checks that a run is unchanged after its lease was taken and released, and that a resumed run has the definition
  /// of its journal.
  private func giveBackProblems(
    _ store: any RunStore, _ other: any RunStore, _ problems: inout [String]
  ) throws {
    let next = RunHolder(process: 4712, host: "next")
    for state in [StoredRun.State.failure, .interrupted] {
      let id = "back-\(state.rawValue)"
      var lease: (any RunLease)? = try store.create(run(id), definition: [8], chunks: [[1]], isDurable: true)
      if state == .failure {
        try store.finish(lease!, state: state, summary: [7])
      } else {
        // This is the state that a crashed process leaves behind.
        let claim = lease!
        try store.giveBack(claim, as: run(id, state: .interrupted))
      }
      lease = nil
      guard let before = try store.run(id) else { continue }
      check(&problems, before.state == state, "a run is \(state.rawValue) before it is taken")
      let position = RunPosition(epoch: before.epoch, chunkCount: 1)
      let claim = try other.take(id, at: position, by: next)
      let taken = try store.run(id)
      check(&problems, taken?.state == .running && taken?.holder == next, "a run that is taken has its holder")
      check(&problems, try store.definition(of: id) == [8], "a run that is taken keeps its definition")
      try other.giveBack(claim, as: before)
      check(&problems, try store.run(id) == before, "a run that is given back is as it was: \(state.rawValue)")
      check(
        &problems, refusal { try other.append([2], to: claim, isDurable: true) } == .fenced(run: id),
        "nothing is written under a lease that was given back")
      let second = try store.take(id, at: position, by: holder)
      try store.resume(second, as: [8, 8], chunks: [[2], [3]])
      check(&problems, try other.chunks(of: id) == [[1], [2], [3]], "a resume begins behind the chunks before")
      check(&problems, try other.definition(of: id) == [8, 8], "a resumed run has its new definition")
      try store.append([4], to: second, isDurable: false)
      try store.finish(second, state: .success, summary: [])
      check(&problems, try other.chunks(of: id) == [[1], [2], [3], [4]], "a resumed run is written on")
    }
  }

  private func take(
    _ run: String, _ store: any RunStore, epoch: Int = 1, chunks: Int
  ) throws -> any RunLease {
    try store.take(run, at: RunPosition(epoch: epoch, chunkCount: chunks), by: holder)
  }

  /// Returns the error that the store throws, or nil if it does not throw one.
  private func refusal(_ body: () throws -> Void) -> StoreProblem? {
    do {
      try body()
      return nil
    } catch {
      return error as? StoreProblem
    }
  }

  private func listProblems() throws -> [String] {
    var problems: [String] = []
    let store = try open()
    for number in 0..<5 {
      try store.keep(
        run("list-\(number)", started: 10_000 + number, state: number < 2 ? .failure : .success), definition: [8],
        chunks: [])
    }
    var filter = RunFilter()
    filter.sinceMilliseconds = 10_000
    check(
      &problems, try store.runs(filter).map(\.id) == (0..<5).reversed().map { "list-\($0)" }, "the newest come first")
    filter.states = [.failure]
    check(&problems, try store.runs(filter).map(\.id) == ["list-1", "list-0"], "runs are found by how they stand")
    filter.limit = 1
    check(&problems, try store.runs(filter).map(\.id) == ["list-1"], "no more are given than asked for")
    filter = RunFilter()
    filter.file = "/other.yaml"
    check(&problems, try store.runs(filter).isEmpty, "runs are found by their file")
    return problems
  }

  private func requestProblems() throws -> [String] {
    var problems: [String] = []
    let (store, other) = (try open(), try open())
    let lease = try store.create(run("request-1"), definition: [8])
    let number = try other.ask("request-1", [5])
    check(&problems, try other.answer(to: number) == nil, "a request without an answer has none")
    check(
      &problems, try store.requests(of: lease) == [RunRequestEntry(number: number, body: [5])],
      "what is asked arrives")
    try store.answer(number, with: [6])
    check(&problems, try store.requests(of: lease).isEmpty, "what was answered is asked no more")
    check(&problems, try other.answer(to: number) == [6], "the answer arrives")
    try store.finish(lease, state: .success, summary: [])
    check(
      &problems, refusal { _ = try other.ask("unknown", []) } == .unknown(run: "unknown"),
      "an unknown run cannot be asked")
    return problems
  }

  private func removalProblems() throws -> [String] {
    var problems: [String] = []
    let (store, other) = (try open(), try open())
    let lease = try store.create(run("held"), definition: [8])
    try store.keep(run("over", state: .success), definition: [3, 3, 3], chunks: [[1]])
    check(&problems, try other.sizes()["over"] == 1, "what a run takes is known")
    check(&problems, try other.remove(["held", "over", "unknown"]) == 1, "a running run is not removed")
    check(
      &problems, refusal { _ = try other.chunks(of: "over") } == .unknown(run: "over"), "what was removed is gone")
    try store.append([1], to: lease, isDurable: false)
    try store.finish(lease, state: .cancelled, summary: [])
    return problems
  }
}
