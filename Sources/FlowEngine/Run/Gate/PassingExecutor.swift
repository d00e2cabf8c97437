/// An executor on which a task continues on the thread that resumes it, until the task returns to the main actor.
///
/// By default, Swift's thread pool resumes the task, even if its next statement belongs to the main actor. That takes
/// long while all threads of the pool are busy, as they are during a launch.
final class PassingExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
