/** Bits of AccountEntry.flags. */
export const AccountFlags = {
  required: 1,
  revocable: 2,
  immutable: 4,
  clawbackEnabled: 8,
} as const;

/** Bits of TrustLineEntry.flags. */
export const TrustlineFlags = {
  authorized: 1,
  maintainLiabilities: 2,
  clawbackEnabled: 4,
} as const;

export function hasFlag(flags: number, bit: number): boolean {
  return (flags & bit) !== 0;
}
