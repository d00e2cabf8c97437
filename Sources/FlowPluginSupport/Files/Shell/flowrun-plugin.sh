# What a flowrun plugin in sh is written with.
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
# flowrun gives its path to every plugin's program. It speaks flowrun's protocol: JSON-RPC 2.0 on standard input and output,
# one message a line. Standard output belongs to the protocol; write everything else to standard error. For sh alone: strings
# stay as JSON writes them, escapes included.

handlers=' '
actions=

# action NAME FUNCTION: has a function answer the calls of an action. It reads the inputs that plugin.yaml declares, and
# answers or fails. FUNCTION runs next to the loop that reads, so that the call can be cancelled and calls overlap.
action() {
  handlers="$handlers$1=$2 "
  actions="${actions:+$actions,}\"$1\""
}

# quick NAME FUNCTION: the same for what takes next to no time: it is answered by the loop itself, in a tenth of the time.
quick() { action "$1" "-$2"; }

# string KEY: sets value to the string behind "KEY": in the call's parameters, or returns 1.
string() {
  value=${params#*"\"$1\":\""}
  [ "$value" != "$params" ] || return 1
  case $value in
    *\\*) _escaped ;;
    *) value=${value%%\"*} ;;
  esac
}

# _escaped: cuts value at its first quote that no backslash stands before.
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

# number KEY: sets value to the number behind "KEY": in the call's parameters, or returns 1.
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

# fail CODE MESSAGE [true|false]: answers the call with an error; the last word says whether another attempt may
# succeed.
fail() {
  data=${3:+",\"data\":{\"retryable\":$3}"}
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":\"$1\",\"message\":\"$2\"$data}}"
  return 1
}

# notify METHOD MEMBERS: says something of the call that is no answer.
notify() { printf '%s\n' "{\"jsonrpc\":\"2.0\",\"method\":\"$1\",\"params\":{\"id\":$id,$2}}"; }

# log MESSAGE [LEVEL]: writes a line to the run's log; the levels are debug, info, warning and error.
log() { notify log "\"level\":\"${2:-info}\",\"message\":\"$1\""; }

# progress FRACTION [MESSAGE]: tells how far the action is, from 0 to 1.
progress() { notify progress "\"fraction\":$1,\"message\":\"${2:-}\""; }

# post EVENT: posts an event that plugin.yaml declares.
post() { notify post "\"event\":\"$1\""; }

# ready OUTPUTS: says that a service is ready, with the members of an object; what needs it goes on.
ready() { notify ready "\"outputs\":{${1:-}}"; }

# _beside FUNCTION: answers a call in a process of its own.
_beside() {
  _forget
  (
    worker=
    trap '[ -z "$worker" ] || kill "$worker"; exit' TERM
    "$@"
  ) &
  calls="$calls $id:$! "
}

# _cancel: gives up the call whose id stands in the message.
_cancel() {
  id=${params%%\}*}
  _forget
  process=${calls#*" $id:"}
  [ "$process" != "$calls" ] || return
  process=${process%% *}
  calls="${calls%%" $id:"*} ${calls#*" $id:$process "}"
  kill "$process" 2>/dev/null && fail cancelled "the call was cancelled"
}

# _forget: forgets the calls that have ended, and with that been answered.
_forget() {
  jobs >/dev/null
  rest=
  for call in $calls; do
    kill -0 "${call#*:}" 2>/dev/null && rest="$rest $call "
  done
  calls=$rest
}

# _run: has the function of an action answer the call.
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

# _introduce: says who it is. Name and version are those of plugin.yaml, which flowrun states.
_introduce() {
  string version
  version=$value
  string name
  printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"name\":\"$value\",\"version\":\"$version\",\"actions\":[$actions]}}"
}

# serve: answers calls until flowrun is done.
serve() {
  calls=
  # flowrun writes the members of a message in this order; what stands in a string has its quotes escaped and cannot match.
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
