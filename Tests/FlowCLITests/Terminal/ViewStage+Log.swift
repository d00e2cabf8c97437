import FlowEngine
import FlowPluginKit

extension ViewStage {
  static func log(_ step: String, _ level: LogLevel, _ message: String) -> RunEvent.Kind {
    .stepLog(id(step), level: level, stream: nil, message: message)
  }

  /// Returns the event for a line that the step's command has printed.
  static func wrote(_ step: String, _ line: String) -> RunEvent.Kind {
    .stepLog(id(step), level: .info, stream: .standardOutput, message: line)
  }

  /// Returns the event for an unfinished line that the step's command has printed.
  static func wrote(_ step: String, begun line: String) -> RunEvent.Kind {
    .stepUnfinishedLine(id(step), stream: .standardOutput, line: line)
  }
}
