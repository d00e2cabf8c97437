import FlowDiagnostics

/// Keys of other tools (GitHub Actions, Argo, Task, Compose, Airflow, GitLab, Ansible) with their equivalents in
/// flowrun.
///
/// For a key with a direct equivalent, the message asks `did you mean …?`, and editors can replace the key.
enum ForeignKeys {
  /// Returns flowrun's name for a step's key that other tools call `key`, or nil.
  static func counterpart(ofStep key: String) -> String? { stepNames[key] }

  /// Returns flowrun's name for a workflow's key that other tools call `key`, or nil.
  static func counterpart(ofWorkflow key: String) -> String? { workflowNames[key] }

  /// Returns a suggestion for an unknown `key` in a step, or nil. `value` is the key's value if that is a scalar.
  static func remedy(ofStep key: String, _ value: String?) -> String? {
    if let name = stepNames[key] { return question(key, name) }
    if let remedy = limit(key, value) { return remedy }
    if repeating.contains(key) { return repetition }
    if let part = resourceNames[key] { return "write 'resources: { \(part.rawValue): \(part.example) }'" }
    return stepRemedies[key]
  }

  /// Returns a suggestion for an unknown `key` at the top level, or nil.
  static func remedy(ofWorkflow key: String) -> String? {
    if let name = workflowNames[key] { return question(key, name) }
    if let remedy = workflowRemedies[key] { return remedy }
    if DefaultsKey(rawValue: key) != nil { return "write 'defaults: { \(key): … }', or '\(key)' at a step" }
    return StepKey(rawValue: key) == nil ? nil : "'\(key)' belongs to a step"
  }

  private static func question(_ key: String, _ name: String) -> String {
    Correction(key, to: name).question + " that is what '\(key)' is called here"
  }

  /// Returns flowrun's name for a secret's key that other tools call `key`, or nil.
  static func counterpart(ofSecret key: String) -> String? {
    switch key {
    case "environment", "variable", "from-env", "fromEnv", "from_env": "env"
    case "path", "from-file", "secretFile": "file"
    default: nil
    }
  }

  /// Returns a suggestion for an unknown `key` in a secret, or nil.
  static func remedy(ofSecret key: String) -> String? {
    if let name = counterpart(ofSecret: key) { return question(key, name) }
    return secretRemedy(key)
  }

  private static func secretRemedy(_ key: String) -> String? {
    switch key {
    case "cmd", "sh", "run", "exec": "write 'command: [program, argument]', which bypasses the shell"
    case "value", "default": "a workflow never contains the secret itself; write 'env', 'file' or 'command'"
    case "external", "secretKeyRef", "valueFrom", "vault", "key":
      "write 'command: [program, argument]' with the tool that reads it"
    default: nil
    }
  }

  /// Returns flowrun's name for a key of `foreach` that other tools call `key`, or nil.
  static func counterpart(ofForeach key: String) -> String? {
    switch key {
    case "matrix": "axes"
    case "list", "in", "values": "items"
    case "max-parallel", "max_parallel", "parallelism": "parallel"
    case "fail_fast", "failFast": "fail-fast"
    default: nil
    }
  }

  /// Returns a suggestion for an unknown `key` in `foreach`, or nil.
  static func remedy(ofForeach key: String) -> String? {
    counterpart(ofForeach: key).map { question(key, $0) }
  }

  /// Keys that other tools use for the list of steps. If a workflow has one of them, a missing `steps` is not reported
  /// as well.
  static let holdingSteps: Set<String> = [
    "jobs", "tasks", "services", "processes", "stages", "dag", "templates", "spec", "do",
  ]

  /// The keys of `resources`, by their names in other tools.
  static let resourceNames: [String: ResourcesKey] = [
    "cpu": .cpus, "cpus": .cpus, "cores": .cpus, "core": .cpus, "threads": .cpus, "ncpus": .cpus, "processors": .cpus,
    "cpus-per-task": .cpus, "cpus_per_task": .cpus, "vcpus": .cpus, "num_cpus": .cpus,
    "memory": .memory, "mem": .memory, "ram": .memory, "mem_mb": .memory, "mem_gb": .memory, "memory_mb": .memory,
    "mem-per-cpu": .memory, "gpus": .gpus, "gpu": .gpus, "nvidia.com/gpu": .gpus, "gres": .gpus, "num_gpus": .gpus,
    "accelerator": .gpus,
  ]

  /// The names of types in other tools and languages, with the equivalent types of flowrun.
  static let types = [
    "bool": "boolean", "int": "integer", "float": "number", "double": "number", "decimal": "number", "str": "string",
    "text": "string", "list": "array", "map": "object", "dict": "object", "choice": "string", "file": "path",
    "environment": "string", "time": "duration", "interval": "duration",
  ]

  private static let stepNames = [
    "depends_on": "needs", "depends-on": "needs", "dependencies": "needs", "depends": "needs", "deps": "needs",
    "requires": "needs", "after_steps": "needs", "upstream": "needs", "upstream_tasks": "needs",
    "when": "if", "condition": "if", "only_if": "if",
    "cmd": "run", "cmds": "run", "script": "run", "bash": "run", "bash_command": "run", "exec": "run",
    "environment": "env", "vars": "env", "variables": "env", "timeout": "deadline", "time-limit": "deadline",
    "silent": "quiet", "desc": "description", "summary": "description", "title": "name", "label": "name",
    "args": "with", "arguments": "with", "inputs": "with", "parameters": "with", "params": "with", "pool": "queue",
    "action": "uses", "template": "uses", "call": "uses", "entrypoint": "run",
    "sources": "inputs-from", "input": "inputs-from", "generates": "produces", "output": "produces",
  ]

  private static let workflowNames = [
    "tasks": "steps", "environment": "env", "params": "inputs", "parameters": "inputs", "args": "inputs",
    "onExit": "finally", "after_script": "finally", "always": "finally", "max-parallel": "concurrency",
    "parallelism": "concurrency", "jobs-limit": "concurrency", "summary": "description", "title": "name",
    "dag_id": "name", "time-limit": "timeout", "dotenv": "env-file", "env_file": "env-file",
  ]

  private static let stepRemedies: [String: String] = [
    "aliases": "a step has one name",
    "status": "write 'run: CHECK || COMMAND', or 'inputs-from' and 'produces'",
    "prompt": "write a step with 'uses: flow.ask' before it",
    "platforms": "write 'if' with an expression",
    "watch": "call 'flowrun FILE --watch'",
    "method": "files are compared by content; leave it out",
    "disabled": "write 'enabled: false'",
    "retry_policy": "write 'retry: { attempts: 3, delay: 1s }'",
    "repeat_policy": "write 'retry: { attempts: 3, delay: 1s }', or a loop in the command",
    "continue_on": "write 'optional: true'",
    "mail_on_error": onFailure, "handler_on": onFailure,
    "worker_selector": "write 'executor', such as 'executor: workers=2'",
    "stdout": "write 'run: COMMAND > FILE'", "stderr": "write 'run: COMMAND 2> FILE'",
    "log_location": "write 'run: COMMAND > FILE 2>&1'; the run history has the output, too ('flowrun logs')",
    "backoff_seconds": restarts, "restart_policy": restarts,
    "signal_on_stop": stops, "stop_signal": stops, "stop_grace_period": stops,
    "is_tty": "write 'interactive: true'", "is_foreground": "write 'interactive: true'",
    "replicas": "write a step for each",
    "dotenv": "it belongs to the workflow: write 'env-file' at the top level, or 'env' here",
    "ports": inContainer, "volumes": inContainer, "build": inContainer, "privileged": inContainer,
    "runs-on": "a step runs on this machine; leave 'runs-on' out",
    "id": "the key above the step is its id; 'name' is for people",
    "command": "write 'run: …', or put it under 'with' of 'uses: shell.run'",
    "continue-on-error": "write 'optional: true'", "allow_failure": "write 'optional: true'",
    "ignore_error": "write 'optional: true'", "ignore_errors": "write 'optional: true'",
    "continueOn": "write 'optional: true'", "continue_on_error": "write 'optional: true'",
    "retryStrategy": "write 'retry: { attempts: 3, delay: 1s }'",
    "readiness_probe": "write 'service: true' and 'ready-when: { port: 8080 }', or with http, log or run",
    "readinessProbe": "write 'service: true' and 'ready-when: { port: 8080 }', or with http, log or run",
    "healthcheck": "write 'service: true' and 'ready-when: { run: COMMAND }'",
    "ready_log_line": "write 'service: true' and 'ready-when: { log: REGEX }'",
    "availability": restarts,
    "liveness_probe": "a service that ends is started again by 'restart'; let the command end when it does not work",
    "shutdown": stops,
    "is_daemon": "write 'service: true' and run it in the foreground",
    "always": "write 'if: ${{ always() }}'",
    "trigger_rule": "write 'if: ${{ always() }}', 'failure()' or the like",
    "rules": "write 'if' with an expression", "only": "write 'if' with an expression",
    "except": "write 'if' with an expression", "preconditions": "write a step before it, or 'if'",
    "working-directory": "write 'with: { cwd: … }' next to 'run'", "dir": "write 'with: { cwd: … }' next to 'run'",
    "workdir": "write 'with: { cwd: … }' next to 'run'", "working_dir": "write 'with: { cwd: … }' next to 'run'",
    "cwd": "write 'with: { cwd: … }' next to 'run'", "working_directory": "write 'with: { cwd: … }' next to 'run'",
    "env-file": "it belongs to the workflow: write 'env-file' at the top level, or 'env' here",
    "env_file": "it belongs to the workflow: write 'env-file' at the top level, or 'env' here",
    "cache": upToDate, "artifacts": upToDate,
    "on_failure": onFailure, "on-failure": onFailure, "onFailure": onFailure, "handlerOn": onFailure,
    "extends": "write 'defaults' of the workflow, or merge a YAML anchor with '<<: *name'",
    "cron": scheduled, "schedule": scheduled,
    "register": "what a step gives is read as steps.<id>.outputs.<name>; a command declares its own under 'outputs'",
    "steps": "a step holds no steps: give each a key of its own under 'steps', with 'needs' between them",
    "tasks": "a step holds no steps: give each a key of its own under 'steps', with 'needs' between them",
    "parallel": "steps that need nothing of each other run next to each other by themselves",
    "container": inContainer, "image": inContainer,
    "services": "write a step with 'service: true' for each",
    "permissions": "a step has the permissions of the user who runs flowrun; leave it out",
    "secrets":
      "declare them under 'secrets' of the workflow, and pass one with 'env: { TOKEN: \"${{ secrets.token }}\" }'",
    "become": "a step has the permissions of the user who runs flowrun; leave it out",
    "stage": "order comes from 'needs'; leave it out",
    "priority": "order comes from 'needs' and 'estimate'; leave it out",
    "priority_weight": "order comes from 'needs' and 'estimate'; leave it out",
    "threads": oneAtOnce, "cores": oneAtOnce, "cpus": oneAtOnce,
  ]

  private static let restarts =
    "write 'restart: { on-exit: failure, delay: 1s, attempts: 5 }' next to 'service: true'"
  private static let stops = "write 'stop: { signal: TERM, within: 10s }'"
  private static let inContainer =
    "a step runs on this machine; run the container's command, such as 'run: docker run …'"
  private static let upToDate =
    "files stay where the step writes them; with 'inputs-from' and 'produces' it is skipped while they are up to date"
  private static let onFailure =
    "write a step of its own with 'needs' and 'if: ${{ failure() }}', or one in 'finally' of the workflow"
  private static let onFailureOfAll =
    "write a step in 'finally' with 'if: ${{ failure() }}', or without 'if' for every end"
  private static let scheduled = "a workflow runs when you call 'flowrun FILE'; let cron or another scheduler call it"
  private static let folderOfAll = "write 'defaults: { cwd: … }', or 'with: { cwd: … }' at a step"
  private static let services = "put each under a key of 'steps', with 'service: true' if it keeps running"
  private static let oneAtOnce = "a step has one location; a queue with a 'width' limits how many run at once"

  private static let workflowRemedies: [String: String] = [
    ".PHONY": "put the steps under 'steps', each under a key with its 'needs'",
    "rules": "put the steps under 'steps', each under a key with its 'needs'",
    "on": "a workflow runs when you call 'flowrun FILE'; leave 'on' out (a scheduler may call it)",
    "true": "a workflow runs when you call 'flowrun FILE'; leave 'on' out (a scheduler may call it)",
    "triggers": "a workflow runs when you call 'flowrun FILE'; leave it out",
    "schedule": scheduled, "cron": scheduled,
    "working_directory": folderOfAll, "working-directory": folderOfAll, "working_dir": folderOfAll,
    "workdir": folderOfAll, "dir": folderOfAll, "cwd": folderOfAll,
    "cache": "write 'inputs-from' and 'produces' at a step: it is skipped while these files are up to date",
    "artifacts": "write 'inputs-from' and 'produces' at a step: it is skipped while these files are up to date",
    "on_failure": onFailureOfAll, "on-failure": onFailureOfAll, "onFailure": onFailureOfAll,
    "handlerOn": onFailureOfAll, "handler_on": onFailureOfAll, "mail_on": onFailureOfAll,
    "extends": "use the other workflow as a step: 'uses: ./other.yaml'",
    "image": "steps run on this machine; run the container's command, such as 'run: docker run …'",
    "jobs": "there are no jobs: put their steps under 'steps', each under a key, with 'needs' between them",
    "stages": "there are no stages: put the steps under 'steps', with 'needs' where one comes after another",
    "services": services, "processes": services,
    "dag": "put the steps under 'steps', each under a key with its 'needs'",
    "templates": "put the steps under 'steps', each under a key with its 'needs'",
    "spec": "a workflow has no wrapper: write 'name' and 'steps' at the top level",
    "apiVersion": "a workflow has no wrapper: write 'name' and 'steps' at the top level",
    "kind": "a workflow has no wrapper: write 'name' and 'steps' at the top level",
    "metadata": "a workflow has no wrapper: write 'name' and 'steps' at the top level",
    "version": "a workflow has no version; leave it out",
    "vars": "write 'inputs' for the inputs of a run, 'env' for variables of commands",
    "variables": "write 'inputs' for the inputs of a run, 'env' for variables of commands",
    "include": "use the other workflow as a step: 'uses: ./other.yaml'",
    "includes": "use the other workflow as a step: 'uses: ./other.yaml'",
    "timeout-minutes": "write 'timeout: 10m'", "activeDeadlineSeconds": "write 'timeout: 10m'",
    "permissions": "a run has the permissions of the user who runs flowrun; leave it out",
    "run-name": "'name' is the name of the workflow in reports",
    "runs-on": "a workflow runs on this machine; leave 'runs-on' out",
    "strategy": "it belongs to the step that is repeated",
    "run": "put it into a step: 'steps: { build: { run: … } }'",
    "retries": "write 'defaults: { retry: { attempts: 3 } }'",
    "default_args": "write 'defaults', with 'retry', 'deadline' or 'queue'",
  ]

  /// Keys that make other tools run a step several times.
  private static let repeating: Set<String> = [
    "strategy", "matrix", "withItems", "withParam", "withSequence", "with_items", "loop", "for",
    "expand",
  ]

  /// The suggestion for the keys in ``repeating``.
  private static let repetition = "write 'foreach', a list or an expression; 'item' is the current element"

  /// Returns a suggestion for a time limit whose unit is part of the key, such as `timeout-minutes`, or for a key about
  /// retries. Returns nil for other keys.
  private static func limit(_ key: String, _ value: String?) -> String? {
    let number = value.flatMap { Int($0) }
    switch key {
    case "timeout-minutes", "timeout_minutes": return "write 'deadline: \(number.map(String.init) ?? "10")m'"
    case "timeout_seconds", "activeDeadlineSeconds", "timeoutSeconds", "timeout_sec", "execution_timeout":
      return "write 'deadline: \(number.map(String.init) ?? "60")s'"
    case "retries", "max_retries":
      return "write 'retry: { attempts: \((number ?? 2) + 1) }'; attempts count the first attempt too"
    case "retry_delay", "retry-delay": return "write 'retry: { attempts: 3, delay: 10s }'"
    default: return nil
    }
  }
}
