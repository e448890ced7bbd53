// The end of what a test started, whatever of it ends badly.

/**
 * Stops one after the other, those after one that fails too, and rejects as the first that failed did: what
 * stays behind keeps the test's process alive, and the failure unseen until then. Undefined: never started.
 */
export async function stopAll(
  ...parts: readonly ({ stop(): Promise<unknown> } | undefined)[]
): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) {
    try {
      await part?.stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
