# The functions for flowrun plugins in sh.
#
#     . "$FLOWRUN_PLUGIN_SH"
#
#     shout() {
#       string text || return
#       answer "\"text\":\"$value!\""
#     }
#
#     action shout.text shout
#     serve
#
# Every plugin's program receives the path of this file. It implements flowrun's protocol: JSON-RPC 2.0 on standard input and
# output, one message per line. Standard output is reserved for the protocol; write all other output to standard error. Only
# in sh, strings stay in their JSON form, including escapes.

handlers=' '
actions=

# action NAME FUNCTION: registers a function that answers the calls of an action. It reads the inputs declared in
# plugin.yaml, and answers or fails. FUNCTION runs in a separate process, so that the call can be cancelled and calls can overlap.
action() {
  handlers="$handlers$1=$2 "
  actions="${actions:+$actions,}\"$1\""
}

# quick NAME FUNCTION: the same for a function that takes almost no time. The loop itself calls it, in a tenth of the time.
quick() { action "$1" "-$2"; }

# string KEY: sets value to the string after "KEY": in the call's parameters, or returns 1.
string() {
  value=${params#*"\"$1\":\""}
  [ "$value" != "$params" ] || return 1
  case $value in
    *\\*) _escaped ;;
    *) value=${value%%\"*} ;;
  esac
}

# _escaped: cuts value at its first quote that is not escaped by a backslash.
_escaped() {
  rest=$value
  value=
  while :; do
    part=${rest%%\"*}
    value=$value$part
    rest=${rest#*\"}
    # An odd number of backslashes before the quote makes it part of the string.
    slashes=${part##*[!\\]}
    [ $((${#slashes} % 2)) -eq 1 ] || return 0
    value=$value\"
  done
}

# number KEY: sets value to the number after "KEY": in the call's parameters, or returns 1.
number() {
  value=${params#*"\"$1\":"}
  [ "$value" != "$params" ] || return 1
  value=${value%%[,\}]*}
}

# milliseconds KEY: sets value to the input KEY of type duration in milliseconds, or returns 1.
milliseconds() {
  durations=${params#*'"milliseconds":{'}
  [ "$durations" != "$params" ] || return 1
  durations=${durations%%\}*}
  value=${durations#*"\"$1\":"}
  [ "$value" != "$durations" ] || return 1
  value=${value%%,*}
}

# work COMMAND…: runs a command that is ended when the call is cancelled.
work() {
  "$@" &
  worker=$!
  wait "$worker"
}

# answer OUTPUTS: answers the call with the members of an object.
answer() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"outputs\":{$1}}}"; }

# fail CODE MESSAGE [true|false]: answers the call with an error. The last word is true if another attempt may
# succeed.
fail() {
  data=${3:+",\"data\":{\"retryable\":$3}"}
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":\"$1\",\"message\":\"$2\"$data}}"
  return 1
}

# notify METHOD MEMBERS: sends a notification about the call.
notify() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"method\":\"$1\",\"params\":{\"id\":$id,$2}}"; }

# log MESSAGE [LEVEL]: adds a line to the run's log. The levels are debug, info, warning and error.
log() { notify log "\"level\":\"${2:-info}\",\"message\":\"$1\""; }

# progress FRACTION [MESSAGE]: reports the progress of the action, from 0 to 1.
progress() { notify progress "\"fraction\":$1,\"message\":\"${2:-}\""; }

# post EVENT: posts an event that plugin.yaml declares.
post() { notify post "\"event\":\"$1\""; }

# ready OUTPUTS: reports that a service is ready, with the members of an object. Its dependents continue.
ready() { notify ready "\"outputs\":{${1:-}}"; }

# _beside FUNCTION: answers a call in a separate process.
_beside() {
  _forget
  (
    worker=
    trap '[ -z "$worker" ] || kill "$worker"; exit' TERM
    "$@"
  ) &
  calls="$calls $id:$! "
}

# _cancel: cancels the call whose id is in the message.
_cancel() {
  id=${params%%\}*}
  _forget
  process=${calls#*" $id:"}
  [ "$process" != "$calls" ] || return
  process=${process%% *}
  calls="${calls%%" $id:"*} ${calls#*" $id:$process "}"
  kill "$process" 2>/dev/null && fail cancelled "the call was cancelled"
}

# _forget: removes the calls that have ended and have therefore been answered.
_forget() {
  jobs >/dev/null
  rest=
  for call in $calls; do
    kill -0 "${call#*:}" 2>/dev/null && rest="$rest $call "
  done
  calls=$rest
}

# _run: calls the function of an action to answer the call.
_run() {
  string action
  handler=${handlers#*" $value="}
  [ "$handler" != "$handlers" ] || fail unknown-action "there is no action $value" || return
  handler=${handler%% *}
  case $handler in
    -*) "${handler#-}" ;;
    *) _beside "$handler" ;;
  esac
}

# _introduce: answers with the name and version of plugin.yaml, which flowrun has sent.
_introduce() {
  string version
  version=$value
  string name
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"name\":\"$value\",\"version\":\"$version\",\"actions\":[$actions]}}"
}

# serve: answers calls until flowrun closes standard input.
serve() {
  calls=
  # flowrun writes the members in this order. Quotes in a string are escaped, so a string cannot match.
  while IFS= read -r line; do
    params=${line#*'"id":'}
    id=${params%%,*}
    case $line in
      '{"jsonrpc":"2.0","id":'*',"method":"run",'*) _run ;;
      *'"method":"initialize"'*) _introduce ;;
      *'"method":"cancel"'*) _cancel ;;
      *'"method":"shutdown"'*) exit 0 ;;
    esac
  done
}
