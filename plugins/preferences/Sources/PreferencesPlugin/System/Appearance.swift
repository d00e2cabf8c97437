import FlowPluginKit

/// Dark on light, or light on dark.
public enum Appearance: String, FieldWord, Sendable {
  case light, dark
}
