"use strict";
// The module for flowrun plugins in JavaScript.
//
//     const { action, serve } = require("flowrun-plugin");
//
//     action("shout.text", async ({ text, pause }, call) => {
//       await call.wait(pause);
//       return { text: text.toUpperCase() };
//     });
//
//     serve();
//
// flowrun adds this file to the module path of every plugin's program. It implements flowrun's protocol: JSON-RPC 2.0 on
// standard input and output, one message per line. Standard output is reserved for the protocol; write all other output to
// standard error.

const fs = require("node:fs");
const readline = require("node:readline");

/** An error with a code for programs and a message for people. `retryable` is true if another attempt may succeed. If it is
 * undefined, the declaration in plugin.yaml decides. */
class Problem extends Error {
  constructor(code, message, retryable) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

/** Thrown if the action must end early, because its call was cancelled. */
class Cancelled extends Error {}

const actions = new Map();
const calls = new Map();

/** Adds an action: a function, asynchronous or not, that receives the inputs declared in plugin.yaml and the call, and
 * returns the outputs. Inputs of type duration are milliseconds. Calls overlap while the function awaits. */
function action(name, body) {
  actions.set(name, body);
}

/** A call to an action. */
class Call {
  #id;
  #abort = new AbortController();

  constructor(id, params) {
    this.#id = id;
    this.attempt = params.attempt;
    this.environment = params.env;
    /** The time until the step's deadline in milliseconds, or null if it has none. */
    this.remaining = params.remainingMilliseconds;
  }

  /** Aborts when the action should end early. Pass it to fetch, timers and child processes. */
  get signal() {
    return this.#abort.signal;
  }

  /** True if the action should end early. */
  get isCancelled() {
    return this.signal.aborted;
  }

  /** Waits this many milliseconds. Fails as soon as the action should end. */
  wait(milliseconds) {
    return new Promise((resolve, reject) => {
      if (this.isCancelled) return reject(new Cancelled());
      const giveUp = () => {
        clearTimeout(timer);
        reject(new Cancelled());
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener("abort", giveUp);
        resolve();
      }, milliseconds);
      this.signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Adds a line to the run's log. The levels are debug, info, warning and error. */
  log(message, level = "info") {
    this.#notify("log", { level, message: String(message) });
  }

  /** Reports the progress of the action, from 0 to 1. */
  progress(fraction, message = "") {
    this.#notify("progress", { fraction, message });
  }

  /** Posts an event that plugin.yaml declares, with an optional value. */
  post(event, value = null) {
    this.#notify("post", { event, value });
  }

  /** Reports that a service is ready, with its outputs. The steps that depend on the service can then start. */
  ready(outputs = {}) {
    this.#notify("ready", { outputs });
  }

  cancel() {
    this.#abort.abort(new Cancelled());
  }

  #notify(method, params) {
    send({ jsonrpc: "2.0", method, params: { id: this.#id, ...params } });
  }
}

function send(message) {
  let line = Buffer.from(JSON.stringify(message) + "\n");
  while (line.length > 0) {
    try {
      line = line.subarray(fs.writeSync(1, line));
    } catch (problem) {
      if (problem.code !== "EAGAIN") throw problem;
      // The pipe is full, and flowrun will soon read from it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

async function answer(id, params) {
  const call = new Call(id, params);
  calls.set(id, call);
  try {
    const body = actions.get(params.action);
    if (!body) throw new Problem("unknown-action", `there is no action '${params.action}'`);
    const outputs = await body({ ...params.inputs, ...params.milliseconds }, call);
    if (call.isCancelled) throw new Cancelled();
    send({ jsonrpc: "2.0", id, result: { outputs: outputs ?? {} } });
  } catch (problem) {
    const isGivenUp = call.isCancelled || problem instanceof Cancelled;
    const code = isGivenUp ? "cancelled" : problem instanceof Problem ? problem.code : "failed";
    const message = isGivenUp ? "the call was cancelled" : problem instanceof Problem ? problem.message : String(problem);
    const data = problem?.retryable === undefined ? {} : { data: { retryable: problem.retryable } };
    send({ jsonrpc: "2.0", id, error: { code, message, ...data } });
  } finally {
    calls.delete(id);
  }
}

/** Answers calls until flowrun closes standard input. */
function serve() {
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "run") {
      answer(id, params);
    } else if (method === "cancel") {
      calls.get(params.id)?.cancel();
    } else if (method === "initialize") {
      // The name and version of plugin.yaml, which flowrun has sent.
      const { name, version } = params;
      send({ jsonrpc: "2.0", id, result: { name, version, actions: [...actions.keys()] } });
    } else if (method === "shutdown") {
      process.exit(0);
    }
  });
  lines.on("close", () => process.exit(0));
}

module.exports = { Cancelled, Problem, action, serve };
