import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem

// Steps with `resources` on an engine that manages resources. Each attempt has its own worker, which is a pool with one
// member, so that heartbeats, losses and the release of allocations work as for other workers.
//
// The engine ensures that bodies together never use more resources than exist. But the pool's other workers keep their
// allocations, for which such a step might wait forever. While the engine reports that the step waits for resources,
// these workers therefore give up their allocations one after another. Such a worker gets no more bodies, ends after
// its last one, and is started again when a body waits for a slot.
extension WorkerPool {
  /// Runs one attempt on a separate worker.
  func runSized(
    _ callable: CallableAction, _ inputs: ValueObject, _ request: MachineResources, _ files: StepFiles,
    _ sized: SizedWorkers, _ context: ActionContext
  ) async throws -> ValueObject {
    try Task.checkCancellation()
    let body = Self.name(of: context)
    // If files are copied, the products of a body are lost with its worker, so its result alone would be of no use.
    let file = terms.copies == nil ? ResultFile(of: context, named: body) : nil
    let item = sized.arrays == nil ? nil : context.stepID.item
    // The job of an item has the name of its array.
    let job = item.map { Self.name(of: context, step: $0.step) } ?? body
    guard let (claim, mustWatch) = claims.withLock({ $0.add(Claims.Claim(body: job, file: file)) }) else {
      throw ExecutorLost("the executor is closed", isFinal: true)
    }
    if mustWatch { Task.detached { await self.makeRoom(sized) } }
    let start: WorkerStart
    var place: JobArrays.Place?
    if let arrays = sized.arrays, let item {
      do {
        let given = try await arrays.place(
          (item.step, item.index), attempt: context.attempt, request, run: context.run.id, result: file)
        (start, place) = (given.start, given)
        recordJob(given.task.text, of: context, request, named: given.name)
      } catch {
        claims.withLock { $0.remove(claim) }
        throw error
      }
    } else {
      start = sized.start(request, body, file)
      recordJob(nil, of: context, request, named: body)
    }
    let own = WorkerPool(
      name: name, starts: [start], needs: needs, workflowFolder: folder, copies: terms.copies, pulse: terms.pulse,
      mayPing: terms.mayPing, withheld: terms.withheld, release: start.release, isOneTime: true, tell: tell)
    let isOpen = claims.withLock { $0.setPool(own, of: claim) }
    // The step does not wait for its worker's end: the engine keeps counting the worker's resources as used until then.
    defer {
      Task.detached { [place] in
        await own.close()
        if let place { await sized.arrays?.end(place) }
        self.claims.withLock { $0.remove(claim) }
      }
    }
    if !isOpen { throw ExecutorLost("the executor is closed", isFinal: true) }
    do {
      try await own.open(waitingAtMost: .zero)
      let outputs = try await own.run(callable, inputs, files, context)
      file?.remove()
      return outputs
    } catch var lost as ExecutorLost {
      // The allocation of the task may have expired while its worker was being started. Another attempt can succeed.
      if place != nil, !lost.isTimeUp, Self.endedSigns.contains(where: lost.message.contains) { lost.isFinal = false }
      guard let file else { throw lost }
      guard let message = try? await DetachedThread.run({ file.claim() }) else {
        claims.withLock { $0.keep(file) }
        throw lost
      }
      file.remove()
      // The job's time limit was reached, so the recorded failure was caused by the engine.
      if lost.isFinal, message.objectValue?["error"] != nil { throw lost }
      return try Self.outcome(message, callable, inputs)
    } catch let problem as ExecutorProblem {
      throw ExecutorLost(problem.message)
    } catch {
      file?.remove()
      throw error
    }
  }

  /// Records the job of an attempt for the report.
  private func recordJob(_ job: String?, of context: ActionContext, _ request: MachineResources, named name: String) {
    let item = context.stepID.item
    let account = JobAccount(
      step: item?.step ?? context.stepID, item: item?.index, attempt: context.attempt, requested: request, job: job)
    sizedJobs.withLock { $0.add(account, named: name) }
  }

  /// Parts of the messages of `srun` that report that a job no longer exists.
  private static let endedSigns = ["srun: error: Unable to", "has expired", "Expired or invalid job"]

  /// Returns the name of an attempt in the engine: `run.step.attempt`.
  private static func name(of context: ActionContext, step: StepID? = nil) -> String {
    let name = "\(context.run.id).\(step ?? context.stepID).\(context.attempt)"
    return String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._[]/".contains($0)) ? $0 : "-" })
  }

  /// Returns the result that a worker recorded before it was lost, or throws the error that it recorded.
  private static func outcome(
    _ message: Value, _ callable: CallableAction, _ inputs: ValueObject
  ) throws -> ValueObject {
    let members = message.objectValue ?? [:]
    if let failure = members["error"]?.objectValue { throw callable.error(PluginFailure(failure)) }
    return try callable.checkedOutputs(members["result"]?.objectValue?["outputs"] ?? .null, of: inputs)
  }

  /// Makes workers give up their allocations, one at a time, while bodies wait for resources.
  private func makeRoom(_ sized: SizedWorkers) async {
    while true {
      try? await Task.sleep(for: sized.patience)
      guard let (newest, bodies) = claims.withLock({ $0.waiting() }) else { return }
      guard state.withLock({ $0.canMakeRoom(for: newest) }) else { continue }
      guard (try? await DetachedThread.run { sized.lackRoom(bodies) }) == true else { continue }
      state.withLock { $0.makeRoom(for: newest) }?.requestStop()
    }
  }

  func closeSized() async {
    let (pools, fences, file) = claims.withLock { $0.close() }
    await withTaskGroup { group in
      for pool in pools { group.addTask { await pool.close() } }
    }
    await sized?.arrays?.close()
    for fence in fences { fence.remove() }
    file?.removeFolder()
  }
}
