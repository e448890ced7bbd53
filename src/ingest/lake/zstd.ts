// zstd frames to bytes: by Node itself from 24 on, else by WebAssembly. Node 22 can, too, but takes a
// frame that was cut short for a whole one.
import * as zlib from "node:zlib";
import * as wasm from "@bokuweb/zstd-wasm";

/** Throws where the frame is damaged or would take more than `bytesMax`. */
export type Decompress = (frame: Uint8Array, bytesMax: number) => Uint8Array;

const NODE_VERSION_WHOLE = 24;

type NodeZstd = {
  readonly zstdDecompressSync: (
    frame: Uint8Array,
    options: { readonly maxOutputLength: number },
  ) => Uint8Array;
};

/** Room tried first for a frame that does not say how large it is: ledgers shrink to a seventh. */
const RATIO_FIRST = 12;
const ROOM_MIN = 1 << 20;

export async function loadZstd(): Promise<Decompress> {
  const node: Partial<NodeZstd> = zlib as object;
  const { zstdDecompressSync } = node;
  const version = Number.parseInt(process.versions.node, 10);
  if (zstdDecompressSync !== undefined && version >= NODE_VERSION_WHOLE) {
    return (frame, bytesMax) => zstdDecompressSync(frame, { maxOutputLength: bytesMax });
  }
  return loadWasmZstd();
}

let wasmLoaded: Promise<void> | undefined;

/** The WebAssembly one whatever Node has. The package must not be initialised a second time. */
export async function loadWasmZstd(): Promise<Decompress> {
  wasmLoaded ??= wasm.init();
  await wasmLoaded;
  return decompressByWasm;
}

function decompressByWasm(frame: Uint8Array, bytesMax: number): Uint8Array {
  const known = contentSize(frame);
  if (known !== undefined && known > bytesMax) throw tooLarge(bytesMax);
  // Written as a stream: the size is unknown, so the room grows until it is enough.
  let room = known ?? Math.min(bytesMax, Math.max(ROOM_MIN, frame.length * RATIO_FIRST));
  for (;;) {
    try {
      return wasm.decompress(frame, { defaultHeapSize: room });
    } catch (cause) {
      // The library tells too little room by the code of zstd alone; other faults repeat at once.
      if (!String(cause).includes(`code ${TOO_SMALL}`)) {
        throw new Error("the zstd frame is damaged", { cause });
      }
      if (known !== undefined || room >= bytesMax) throw tooLarge(bytesMax);
      room = Math.min(bytesMax, room * 4);
    }
  }
}

/** ZSTD_error_dstSize_tooSmall, negated. */
const TOO_SMALL = -70;
const MAGIC = 0xfd2f_b528;

/** The size a frame's header gives (RFC 8878, 3.1.1.1), or undefined where it gives none. */
export function contentSize(frame: Uint8Array): number | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (frame.length < 6 || view.getUint32(0, true) !== MAGIC) throw new Error("no zstd frame");
  const descriptor = view.getUint8(4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const sizeFlag = descriptor >> 6;
  if (sizeFlag === 0) return isSingleSegment ? view.getUint8(at) : undefined;
  if (sizeFlag === 1) return view.getUint16(at, true) + 256;
  if (sizeFlag === 2) return view.getUint32(at, true);
  const size = view.getBigUint64(at, true);
  return size > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(size);
}

function tooLarge(bytesMax: number): Error {
  return new Error(`the zstd frame holds more than ${bytesMax} bytes`);
}
