/// Runs a task on the thread that resumes it, until the task is back on the main actor.
///
/// Otherwise the task is resumed in Swift's pool even if its next statement belongs to the main actor. That needs a
/// thread of the pool, and takes long if all are busy, as during a launch.
final class PassingExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
