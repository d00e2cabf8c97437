import FlowPluginKit

/// A light or dark appearance.
public enum Appearance: String, FieldWord, Sendable {
  case light, dark
}
