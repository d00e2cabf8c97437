/// Runs what a task does until it is back at the main actor, on the thread that resumes it.
///
/// A task is resumed in Swift's pool even where its next statement is the main actor's, which takes a thread of the pool, and
/// time where all of them are busy, as they may be at a launch.
final class PassingExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
