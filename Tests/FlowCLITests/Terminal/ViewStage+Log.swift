import FlowEngine
import FlowPluginKit

extension ViewStage {
  static func log(_ step: String, _ level: LogLevel, _ message: String) -> RunEvent.Kind {
    .stepLog(id(step), level: level, stream: nil, message: message)
  }

  /// A line that the step's command wrote.
  static func wrote(_ step: String, _ line: String) -> RunEvent.Kind {
    .stepLog(id(step), level: .info, stream: .standardOutput, message: line)
  }

  /// A line that the step's command has begun to write.
  static func wrote(_ step: String, begun line: String) -> RunEvent.Kind {
    .stepUnfinishedLine(id(step), stream: .standardOutput, line: line)
  }
}
