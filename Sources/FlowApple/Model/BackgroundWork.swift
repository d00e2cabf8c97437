/// Work of an app in the background. While it lasts, files stay locked. See ``LaunchModel/beginBackgroundWork()``.
@MainActor public final class BackgroundWork {
  private var onEnd: (@MainActor () -> Task<Void, Never>)?
  private var ending: Task<Void, Never>?

  init(onEnd: @escaping @MainActor () -> Task<Void, Never>) { self.onEnd = onEnd }

  /// Ends the work. The returned task ends when the files have been released, or immediately if they are still needed.
  /// Later calls return the same task.
  @discardableResult public func end() -> Task<Void, Never> {
    if let ending { return ending }
    let task = onEnd?() ?? Task {}
    (onEnd, ending) = (nil, task)
    return task
  }
}
