import FlowPluginKit

/// The sources of a preference in order of precedence. The first source with a value is used.
enum PreferenceSource: String, FieldWord {
  case override, saved, system, `default`
}
