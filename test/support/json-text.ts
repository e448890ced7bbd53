/** JSON for messages; bigints are written as texts. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "bigint" ? String(member) : member,
  );
}
