import FlowPluginKit

/// The appearance of an application or a system.
public enum Appearance: String, FieldWord, Sendable {
  case light, dark
}
