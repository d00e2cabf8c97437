/// An executor that continues a task on the thread that resumes it, until the task returns to the main actor.
///
/// By default, Swift's thread pool would resume the task, even if its next statement belongs to the main actor. That
/// takes long if all threads of the pool are busy, as they are during a launch.
final class PassingExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}
