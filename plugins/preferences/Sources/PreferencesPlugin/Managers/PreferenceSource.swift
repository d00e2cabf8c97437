import FlowPluginKit

/// The source of a preference: the first of these with a value.
enum PreferenceSource: String, FieldWord {
  case override, saved, system, `default`
}
