import FlowModel

extension StepQueue {
  var taskPriority: TaskPriority {
    switch self {
    case .userInteractive, .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    }
  }
}
