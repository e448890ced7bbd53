// The engine that chaos happens to: restarted on the same port and data, behind a proxy to its RPC.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Devnet } from "../../src/devnet/devnet.ts";
import type { DevnetInput } from "../../src/devnet/options.ts";
import { freePort } from "../../test/support/free-port.ts";
import { startRecordedDevnet } from "../../test/support/recorded-devnet.ts";
import { EngineChild, type EngineChildOptions } from "../load/engine-child.ts";
import { ledgerOf } from "../load/status.ts";
import { FaultProxy } from "./fault-proxy.ts";
import { SmallDisk } from "./small-disk.ts";

const PRELOAD = new URL("./engine-preload.js", import.meta.url).href;
const POLL_MS = 50;
const POLL_MS_MAX = 5000;
const MIB = 2 ** 20;

export type SubjectOptions = {
  readonly seed: string;
  readonly ledgerTime: number;
  /** More options of its devnet. */
  readonly devnet?: DevnetInput;
};

export class Subject {
  readonly devnet: Devnet;
  /** Two RPCs of the same network, as the engine sees them. */
  readonly proxies: readonly FaultProxy[];
  readonly port: number;
  /** Or why there is none. */
  readonly disk: SmallDisk | string;
  engine: EngineChild;
  readonly #options: EngineChildOptions;
  readonly #folder: string;
  readonly #others: EngineChild[] = [];

  static async open({ seed, ledgerTime, devnet: more }: SubjectOptions): Promise<Subject> {
    const folder = mkdtempSync(join(tmpdir(), "hopbook-chaos-"));
    const dataDir = join(folder, "engine");
    const directory = join(folder, "devnet");
    mkdirSync(directory);
    const disk = openDisk(dataDir);
    const devnet = await startRecordedDevnet({ ...more, seed, ledgerTime, port: 0, directory });
    const proxies = [new FaultProxy(devnet.url), new FaultProxy(devnet.url)];
    const urls = await Promise.all(proxies.map((proxy) => proxy.listen()));
    return new Subject(
      { devnet, proxies, disk, folder },
      {
        rpcUrl: urls.join(),
        passphrase: devnet.network.passphrase,
        contract: devnet.network.exchange,
        dataDir,
        port: await freePort(),
        flags: ["--workers", "1"],
        preloads: [PRELOAD],
      },
    );
  }

  private constructor(
    parts: {
      readonly devnet: Devnet;
      readonly proxies: readonly FaultProxy[];
      readonly disk: SmallDisk | string;
      readonly folder: string;
    },
    options: EngineChildOptions,
  ) {
    this.devnet = parts.devnet;
    this.proxies = parts.proxies;
    this.disk = parts.disk;
    this.#folder = parts.folder;
    this.port = options.port;
    this.#options = options;
    this.engine = new EngineChild(options);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A new process on the same port and data; resolves once it listens. */
  async start(): Promise<void> {
    this.engine = new EngineChild(this.#options);
    await this.engine.listening;
  }

  /** Another engine that reads the same network from its start, and to which nothing happens. */
  async startPeaceful(): Promise<EngineChild> {
    const peaceful = new EngineChild({
      ...this.#options,
      rpcUrl: this.devnet.url,
      dataDir: join(this.#folder, "peaceful"),
      port: 0,
    });
    this.#others.push(peaceful);
    await peaceful.listening;
    return peaceful;
  }

  async kill(): Promise<void> {
    this.engine.kill();
    await this.engine.exited;
  }

  /** Rejects where the engine ends, or does not get there in time. */
  async reaches(ledger: number, timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    let seen = 0;
    while (seen < ledger) {
      if (performance.now() > deadline) {
        throw this.engine.failure(`stays at ledger ${seen} of ${ledger} for ${timeoutMs} ms`);
      }
      if (this.engine.child.exitCode !== null || this.engine.child.signalCode !== null) {
        throw this.engine.failure("ended");
      }
      // Not up yet: asked again.
      seen = await ledgerOf(this.url, POLL_MS_MAX).catch(() => 0);
      if (seen < ledger) await delay(POLL_MS);
    }
  }

  /** Resident memory and open files of the engine; undefined where the system tells neither. */
  async resources(): Promise<{ readonly mib: number; readonly files: number } | undefined> {
    const probe = await this.engine.probe();
    if (probe === undefined) return undefined;
    const folder = `/proc/${this.engine.child.pid}/fd`;
    let files = 0;
    try {
      files = readdirSync(folder).length;
    } catch {
      // No such folder outside Linux: then memory alone is looked at.
    }
    return { mib: probe.rssBytes / MIB, files };
  }

  async close(): Promise<void> {
    for (const engine of [this.engine, ...this.#others]) {
      engine.child.kill("SIGKILL");
      await engine.exited;
    }
    for (const proxy of this.proxies) await proxy.close();
    await this.devnet.stop();
    if (typeof this.disk !== "string") this.disk.unmount();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function openDisk(path: string): SmallDisk | string {
  try {
    return new SmallDisk(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n").at(-1) : String(error);
    return `no tmpfs can be mounted here (${reason})`;
  }
}
