import FlowModel

extension StepQueue {
  /// The same for tasks.
  var taskPriority: TaskPriority {
    switch self {
    case .userInteractive, .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    }
  }
}
