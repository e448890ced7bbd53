// The sink thread. It reads the store by itself: the main thread only signals that there is more.
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { StoreReader } from "../store/store-reader.ts";
import type { FromSink, SinkOptions, ToSink } from "./messages.ts";
import { runSink } from "./run-sink.ts";
import { Wakeup } from "./wakeup.ts";

/** Of 19 (choice): the threads that answer requests have priority. */
const NICE = 10;

const port = parentPort;
if (port === null) throw new Error("not a thread of an engine");
const { path, ...database } = workerData as SinkOptions;
// On Linux this is the thread's own, elsewhere the process's.
if (process.platform === "linux") setPriority(NICE);

const tell = (message: FromSink): void => port.postMessage(message);
const stopping = new AbortController();
const wakeup = new Wakeup();
port.on("message", (message: ToSink) => {
  if (message.kind === "stop") stopping.abort();
  else wakeup.wake();
});
const store = await StoreReader.open(path);
await runSink({
  ...database,
  store,
  wakeup,
  tell: (status) => tell({ kind: "status", ...status }),
  log: (level, message) => tell({ kind: "log", level, message }),
  signal: stopping.signal,
});
await store.close();
port.close();
