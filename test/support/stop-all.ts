// Stops everything that a test started, also where a part fails to stop.

/**
 * Stops one after the other, those after a failure too, and then rejects with the first failure: a part that is left
 * running would keep the test's process alive and hide the failure. Undefined: never started.
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
