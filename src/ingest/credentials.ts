/** A URL whose user name and password go into a header: fetch refuses them in the URL, and names it. */
export function splitCredentials(of: string): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(of);
  const { username, password } = url;
  if (username === "" && password === "") return { url, headers: {} };
  url.username = "";
  url.password = "";
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` } };
}
