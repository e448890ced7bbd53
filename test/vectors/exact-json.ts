// JSON whose integers may exceed 2^53: they are read as decimal strings, never through a float.

/** As JSON.parse, but every integer of 16 digits or more comes back as a string of its digits. */
export function parseExactJson(text: string): unknown {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^-?\d{16,}$/.test(token) ? `"${token}"` : token,
  );
  return JSON.parse(quoted);
}
