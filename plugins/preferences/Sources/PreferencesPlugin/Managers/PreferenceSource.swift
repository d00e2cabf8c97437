import FlowPluginKit

/// Where a preference comes from: the first of these that has one.
enum PreferenceSource: String, FieldWord {
  case override, saved, system, `default`
}
