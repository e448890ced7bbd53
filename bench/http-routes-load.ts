// The load process of http-routes: raw keep-alive connections with one request in flight each.
import assert from "node:assert/strict";
import { connect } from "node:net";
import type { LoadRequest, LoadResult } from "./http-routes.bench.ts";

process.on("message", (request: LoadRequest) => {
  void run(request).then((result) => process.send?.(result));
});

async function run({ port, paths, connections, requests }: LoadRequest): Promise<LoadResult> {
  const heads = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`));
  let left = requests;
  let bodyBytes = 0;
  const start = process.hrtime.bigint();
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1");
          socket.setNoDelay(true);
          let expected = 0;
          let received = 0;
          const next = (): void => {
            if (left === 0) {
              socket.end();
              resolve();
              return;
            }
            left -= 1;
            socket.write(heads[left % heads.length] ?? assert.fail("nothing is asked"));
          };
          socket.on("error", reject);
          socket.on("connect", next);
          socket.on("data", (data) => {
            received += data.length;
            if (expected === 0) {
              const head = data.toString("latin1");
              const length = /\r\ncontent-length: ([0-9]+)\r\n/i.exec(head)?.[1];
              if (!head.startsWith("HTTP/1.1 200 ") || length === undefined) {
                reject(new Error(`unexpected answer: ${head.slice(0, 200)}`));
                return;
              }
              expected = head.indexOf("\r\n\r\n") + 4 + Number(length);
              bodyBytes = Number(length);
            }
            if (received < expected) return;
            expected = 0;
            received = 0;
            next();
          });
        }),
    ),
  );
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, bodyBytes };
}
