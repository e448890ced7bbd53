import { readFileSync } from "node:fs";

/** The package's version, from the package.json that ships with the build (`dist/src` lies two below it). */
export const VERSION = versionOf(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

function versionOf(packageJson: string): string {
  const { version } = JSON.parse(packageJson) as { readonly version: string };
  return version;
}
