import FlowEngine
import FlowPluginKit

extension ViewStage {
  static func log(_ step: String, _ level: LogLevel, _ message: String) -> RunEvent.Kind {
    .stepLog(id(step), level: level, stream: nil, message: message)
  }
}
