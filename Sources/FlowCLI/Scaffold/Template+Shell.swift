extension PluginTemplate {
  /// The files of a plugin in sh, except its manifest and test cases. `NAME` stands for the plugin's name.
  static let shellFiles = [
    "plugin.sh": #"""
    . "$FLOWRUN_PLUGIN_SH"

    louder() {
      string text || fail nothing-to-say "text is missing" || return
      [ -n "$value" ] || fail nothing-to-say "text is empty; give it a word" || return
      log "saying it louder"
      # Run slow commands with `work`, so that they end with the call: work sleep 10
      answer "\"text\":\"$value!\""
    }

    action NAME.text louder
    serve

    """#
  ]
}
