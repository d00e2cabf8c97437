import FlowPlugin
import FlowPluginKit

/// The plugins that are compiled into `flowrun`, one line each.
enum BuiltInPlugins {
  static let all: [any Plugin] = [
    FlowPlugin()
  ]
}
