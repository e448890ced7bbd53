// How large the store is, for whoever watches it.
import type { Environment } from "./tables.ts";

export type StoreSize = {
  /** Up to the last page in use; free pages before it included. */
  readonly fileBytes: number;
  /** Address space of the map, which lmdb enlarges by itself. */
  readonly mapBytes: number;
  /** Places taken in the file's table of readers, and all of them. */
  readonly readers: number;
  readonly readersMax: number;
};

/** Reads a few numbers of the file's head: under a millisecond. */
export function storeSize({ root }: Environment): StoreSize {
  const stats: Partial<Record<string, unknown>> = root.getStats();
  const number = (name: string): number => Number(stats[name] ?? 0);
  return {
    fileBytes: (number("lastPageNumber") + 1) * number("pageSize"),
    mapBytes: number("mapSize"),
    readers: number("numReaders"),
    readersMax: number("maxReaders"),
  };
}
