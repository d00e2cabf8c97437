"use strict";
// What a flowrun plugin in JavaScript is written with.
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
// flowrun puts this file on the path of every plugin's program. It speaks flowrun's protocol: JSON-RPC 2.0 on standard
// input and output, one message a line. Standard output belongs to the protocol; write everything else to standard error.

const fs = require("node:fs");
const readline = require("node:readline");

/** An error with a word for programs and a sentence for people; `retryable` says whether another attempt may succeed,
 * undefined what plugin.yaml says. */
class Problem extends Error {
  constructor(code, message, retryable) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

/** The call is to be given up. */
class Cancelled extends Error {}

const actions = new Map();
const calls = new Map();

/** Adds an action: a function, asynchronous or not, from the inputs that plugin.yaml declares and the call to the outputs.
 * Inputs of type duration are milliseconds. Calls overlap where the function awaits. */
function action(name, body) {
  actions.set(name, body);
}

/** The call that an action answers. */
class Call {
  #id;
  #abort = new AbortController();

  constructor(id, params) {
    this.#id = id;
    this.attempt = params.attempt;
    this.environment = params.env;
    /** How many milliseconds the step's deadline leaves; null: it has none. */
    this.remaining = params.remainingMilliseconds;
  }

  /** Aborts when the call is to be given up: hand it to fetch, timers and child processes. */
  get signal() {
    return this.#abort.signal;
  }

  /** Whether the call is to be given up. */
  get isCancelled() {
    return this.signal.aborted;
  }

  /** Waits so many milliseconds; fails as soon as the call is to be given up. */
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

  /** Writes a line to the run's log; the levels are debug, info, warning and error. */
  log(message, level = "info") {
    this.#notify("log", { level, message: String(message) });
  }

  /** Tells how far the action is, from 0 to 1. */
  progress(fraction, message = "") {
    this.#notify("progress", { fraction, message });
  }

  /** Posts an event that plugin.yaml declares, with a value if one is given. */
  post(event, value = null) {
    this.#notify("post", { event, value });
  }

  /** Says that a service is ready, with its outputs; what needs it goes on. */
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
      // The pipe is full: a moment later flowrun has read of it.
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

/** Answers calls until flowrun is done. */
function serve() {
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "run") {
      answer(id, params);
    } else if (method === "cancel") {
      calls.get(params.id)?.cancel();
    } else if (method === "initialize") {
      // Name and version are plugin.yaml's, which flowrun states.
      const { name, version } = params;
      send({ jsonrpc: "2.0", id, result: { name, version, actions: [...actions.keys()] } });
    } else if (method === "shutdown") {
      process.exit(0);
    }
  });
  lines.on("close", () => process.exit(0));
}

module.exports = { Cancelled, Problem, action, serve };
