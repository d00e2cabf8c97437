import FlowModel

extension StepQueue {
  /// The corresponding task priority.
  var taskPriority: TaskPriority {
    switch self {
    case .userInteractive, .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    }
  }
}
