import ArgumentParser

/// The completion script for a shell. It is the argument parser's script, changed so that `flowrun FILE` is completed
/// like `flowrun run FILE`.
struct CompletionScript {
  let text: String

  /// Returns the script that the arguments of the process request. Returns nil if they request none or the shell is
  /// unknown.
  static func asked(by arguments: [String]) -> CompletionScript? {
    let option = "--generate-completion-script"
    guard let first = arguments.first, first.hasPrefix(option) else { return nil }
    let name = first == option ? arguments.dropFirst().first : String(first.dropFirst(option.count + 1))
    return name.flatMap(CompletionShell.init(rawValue:)).map(CompletionScript.init)
  }

  private init(_ shell: CompletionShell) {
    let script = FlowCommand.completionScript(for: shell)
    let subcommands = (FlowCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"])
    switch shell {
    case .zsh: text = Self.zsh(script, subcommands)
    case .fish: text = Self.fish(script, subcommands)
    default: text = Self.bash(script, subcommands)
    }
  }

  /// Changes the script for bash: `run` is inserted into the words of the command line, and then the argument parser's
  /// function is called.
  private static func bash(_ script: String, _ subcommands: [String]) -> String {
    script.replacing("complete -o filenames -F _flowrun flowrun", with: "") + """
      # 'flowrun FILE' is short for 'flowrun run FILE'.
      _flowrun_line() {
          case "${COMP_WORDS[1]}" in
          -*|\(subcommands.joined(separator: "|")))
              ;;
          *)
              if [[ "${COMP_CWORD}" -gt 1 ]]; then
                  local -a words=("${COMP_WORDS[0]}" run "${COMP_WORDS[@]:1}")
                  local COMP_LINE="${COMP_LINE/"${COMP_WORDS[0]}"/"${COMP_WORDS[0]} run"}"
                  local -i COMP_CWORD="$((COMP_CWORD + 1))" COMP_POINT="$((COMP_POINT + 4))"
                  local -a COMP_WORDS=("${words[@]}")
              else
                  local cur="${2}"
                  __flowrun_add_completions -f -X '!*.yaml'
                  __flowrun_add_completions -f -X '!*.yml'
                  __flowrun_add_completions -d
                  __flowrun_add_completions -W "$("${COMP_WORDS[0]}" ---completion run -- positional@0 1 0 "${COMP_WORDS[@]}")"
              fi
              ;;
          esac
          _flowrun "${@}"
      }

      complete -o filenames -F _flowrun_line flowrun

      """
  }

  private static func zsh(_ script: String, _ subcommands: [String]) -> String {
    let start = "    local context state state_descr line\n"
    let commands = "    command)\n"
    guard let first = script.firstRange(of: start) else { return script }
    var text = script
    text.insert(
      contentsOf: """
            # 'flowrun FILE' is short for 'flowrun run FILE'.
            local -ar flowrun_subcommands=(\(subcommands.joined(separator: " ")))
            if (( CURRENT > 2 )) && [[ "${words[2]}" != -* ]] && (( ! ${flowrun_subcommands[(Ie)${words[2]}]} )); then
                words=("${words[1]}" run "${(@)words[2,-1]}")
                (( CURRENT += 1 ))
            fi


        """, at: first.lowerBound)
    guard let command = text.firstRange(of: commands) else { return script }
    text.insert(contentsOf: "        _files -g '*.yaml *.yml'\n\(Self.zshSteps)", at: command.upperBound)
    return text
  }

  /// The function that proposes the steps of `flowrun.yaml` in zsh.
  private static let zshSteps = """
            __flowrun_custom_complete ---completion run -- positional@0 "${current_word_index}" \
    "$(__flowrun_cursor_index_in_current_word)"

    """

  private static func fish(_ script: String, _ subcommands: [String]) -> String {
    let start = "    set -l unparsed_tokens (__flowrun_tokens -pc)\n"
    let insertion = """
          # 'flowrun FILE' is short for 'flowrun run FILE'.
          if set -q unparsed_tokens[2]; and not string match -q -- '-*' $unparsed_tokens[2]
              if not contains -- $unparsed_tokens[2] \(subcommands.joined(separator: " "))
                  set unparsed_tokens $unparsed_tokens[1] run $unparsed_tokens[2..]
              end
          end

      """
    let run = "complete -c 'flowrun' -n '__flowrun_should_offer_completions_for_positional \"flowrun run\" -eq 1'"
    let files = script.split(separator: "\n").first { $0.hasPrefix(run) }.map {
      "\n" + $0.replacing("\"flowrun run\"", with: "\"flowrun\"") + "\n"
    }
    return script.replacing(start, with: start + insertion) + (files ?? "")
  }
}
