/// Shell scripts that run in Slurm's jobs or cancel jobs.
enum SlurmScripts {
  /// The word appended to a job's comment after its worker has ended.
  static let ended = "ended"

  /// Shell functions that read the output of `scontrol listpids` for the job in which they run.
  ///
  /// All columns are compared as words. For a script that has not started, Slurm lists the process -1, which `kill`
  /// would interpret as all processes of the user. The process column may also contain the number of another job.
  static let processes = #"""
    # Prints step, task and process of each line that is of this job and names a process.
    listed_processes() {
      while read -r process job step task others; do
        [ "$job" = "$SLURM_JOB_ID" ] || continue
        case $process in '' | *[!0-9]* | 0* | 1 | ??????????*) continue ;; esac
        echo "$step $task $process"
      done
    }
    # Prints the process of the job's script once the script runs a program: from then on it handles signals.
    started_script() {
      script='' program=''
      listed_processes | {
        while read -r step task process; do
          case "$step $task" in
            "batch 0") script=$process ;;
            "batch -") program=$process ;;
          esac
        done
        [ "$program" ] && [ "$program" != "$script" ] && echo "$script"
      }
    }
    # Succeeds if a process belongs to this job and has its name, by the environment that it was started with.
    is_of_job() {
      grep -qszxF "SLURM_JOB_ID=$SLURM_JOB_ID" "/proc/$1/environ" && grep -qszxF "SLURM_JOB_NAME=$2" "/proc/$1/environ"
    }
    """#

  /// Starts the worker and ends the allocation if the worker ends without having been asked to. Without this, the
  /// allocation would remain after `srun` was killed.
  ///
  /// A job with another name does not belong to flowrun. The comment of the job records that no process of the worker
  /// is left, even if Slurm's daemon has died. If the worker has lost its run, as its exit status or its guard reports
  /// (``WorkerWatch/holderVariable``), the waiting jobs of the run are cancelled, too, because flowrun may have been
  /// killed with all of its processes.
  ///
  /// The allocation of an array task, `$3`, is kept by the script of its job. That script receives a signal when the
  /// worker has ended as requested.
  static let holder = """
    name=$1 mark=$2 task=$3 lost=
    shift 3
    [ "$task" ] && export SLURM_ARRAY_JOB_ID="${task%_*}" SLURM_ARRAY_TASK_ID="${task#*_}"
    \(processes)
    trap 'lost=1' USR1
    export \(WorkerWatch.holderVariable)=$$
    "$@"
    status=$?
    if [ $status = 0 ]; then
      [ "$task" ] || exit 0
      # The script may start later than the worker.
      for look in 1 2 3 4; do
        script=$(scontrol listpids "$SLURM_JOB_ID" "$SLURMD_NODENAME" | started_script)
        [ "$script" ] && is_of_job "$script" "$name" && kill -USR1 "$script" && exit 0
        sleep 0.3
      done
      scancel --quiet --name="$name" "$task"
      exit 0
    fi
    [ $status = \(Worker.lostStatus) ] && lost=1
    [ "$SLURM_JOB_NAME" = "$name" ] || exit $status
    job=${task:-$SLURM_JOB_ID}
    scontrol --quiet update JobId="$job" Comment="$mark \(ended)"
    if [ "$lost" ]; then
      \(cancelWaiting)
    fi
    scancel --quiet --name="$name" "$job"
    exit $status
    """

  /// Cancels the waiting jobs of the run. Of an array, only the tasks that have not started are cancelled.
  private static let cancelWaiting = """
    squeue --noheader --me --states=PENDING --format='%A %k' | while read -r number comment; do
        [ "$comment" = "$mark" ] && scancel --quiet --state=PENDING "$number"
      done
    """

  /// The script of an array task. It keeps the allocation until its worker has ended. If no worker appears, flowrun was
  /// killed with all of its processes, so the waiting jobs of the run are cancelled.
  static let keeper = """
    \(processes)
    pause=
    trap '[ -z "$pause" ] || kill "$pause" 2>/dev/null; exit 0' USR1
    missing=0
    while [ $missing -lt 3 ]; do
      sleep 10 &
      pause=$!
      wait "$pause"
      pause='' is_listed='' has_worker=''
      for step in $(scontrol listpids "$SLURM_JOB_ID" "$SLURMD_NODENAME" 2>/dev/null | listed_processes | cut -d ' ' -f 1); do
        case $step in
          batch) is_listed=1 ;;
          [0-9]*) has_worker=1 ;;
        esac
      done
      # Without this script in it the list says nothing.
      if [ "$has_worker" ] || [ -z "$is_listed" ]; then missing=0; else missing=$((missing + 1)); fi
    done
    \(cancelWaiting)
    exit 1
    """

  /// Cancels all arrays of a run. The first argument is the comment of the run's jobs.
  static let releaseAll = """
    squeue --noheader --me --format='%F %K %k' | while read -r number index comment; do
      [ "$index" != N/A ] && [ "${comment% \(ended)}" = "$1" ] && echo "$number"
    done | sort -u | xargs -r scancel --quiet
    """

  /// Succeeds if the newest job with the name `$1` has recorded that its worker ended. `$2` is the comment of the run's
  /// jobs.
  static let endCheck = """
    last=$(squeue --noheader --me --states=all --name="$1" --sort=i --format=%k | tail -n 1)
    [ "$last" = "$2 \(ended)" ]
    """

  /// Returns the command that cancels running and waiting allocations. It is needed because Slurm keeps an allocation
  /// in its queue even after its `srun` was killed, and on a node that failed and recovered.
  static func release(_ names: [String]) -> [String] {
    let script =
      #"user=$(id -u); for name; do [ "$name" ] && scancel --quiet --user="$user" --name="$name"; done"#
    return ["/bin/sh", "-c", script, "flowrun-release"] + names
  }
}
