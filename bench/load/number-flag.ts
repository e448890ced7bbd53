/** The number that a flag was given as. Throws an Error where it is none, or below `min`. */
export function numberFlag(name: string, text: string, min: number): number {
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text) || Number(text) < min) {
    throw new Error(`--${name}: expected a number of at least ${min}`);
  }
  return Number(text);
}
