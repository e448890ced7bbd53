// Writes dist/native/uws_<platform>_<arch>_<abi>.node: uWebSockets.js's Linux binaries made loadable
// on glibc 2.36 (Debian 12). They were linked on glibc 2.38, whose headers turn strtol, strtoul and
// sscanf into __isoc23_ variants that differ only in reading C23's "0b1" numbers; nothing else of
// theirs is newer than 2.36. So the three names lose their prefix, and the requirement of
// GLIBC_2.38, which only they have, becomes that of the architecture's first version. src/http/uws.ts
// loads the result where the original does not load.
//
// Layouts: ELF-64 of the System V ABI; Elf64_Verneed and Elf64_Vernaux of the LSB's symbol versioning.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

const PREFIX = "__isoc23_";
const NEWER = "GLIBC_2.38";
/** The version that glibc's oldest symbols carry. */
const FIRST = { x64: "GLIBC_2.2.5", arm64: "GLIBC_2.17" };
const SYMBOL_BYTES = 24;

if (process.platform === "linux") {
  const source = dirname(createRequire(import.meta.url).resolve("@btc-vision/uwebsockets.js"));
  const target = new URL("../dist/native/", import.meta.url);
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(source)) {
    if (!name.startsWith(`uws_linux_${process.arch}_`)) continue;
    const file = readFileSync(`${source}/${name}`);
    relaxVersion(file, FIRST[process.arch]);
    writeFileSync(new URL(name, target), file);
  }
}

/** Changes `file` in place. Throws where the file is not as described above. */
function relaxVersion(file, firstVersion) {
  const sections = readSections(file);
  const names = sections(".dynstr").offset;
  const text = (at) => file.toString("latin1", names + at, file.indexOf(0, names + at));

  const versions = readVersions(file, sections(".gnu.version_r"), text);
  const newer = versions.find(({ name }) => name === NEWER);
  const first = versions.find(({ name }) => name === firstVersion);
  if (newer === undefined || first === undefined) {
    throw new Error(`uWebSockets.js names no ${NEWER} or no ${firstVersion}`);
  }

  const symbols = sections(".dynsym");
  const indexes = sections(".gnu.version").offset;
  for (let i = 0; i < symbols.size / SYMBOL_BYTES; i++) {
    if (file.readUInt16LE(indexes + 2 * i) !== newer.index) continue;
    const at = symbols.offset + SYMBOL_BYTES * i;
    const nameAt = file.readUInt32LE(at);
    if (!text(nameAt).startsWith(PREFIX)) throw new Error(`${text(nameAt)} needs ${NEWER}`);
    file.writeUInt32LE(nameAt + PREFIX.length, at);
  }
  file.copy(file, newer.at, first.at, first.at + 4); // vna_hash
  file.copy(file, newer.at + 8, first.at + 8, first.at + 12); // vna_name
}

/** A lookup of sections by name. */
function readSections(file) {
  const tableAt = Number(file.readBigUInt64LE(0x28));
  const entryBytes = file.readUInt16LE(0x3a);
  const count = file.readUInt16LE(0x3c);
  const header = (i) => {
    const at = tableAt + entryBytes * i;
    return {
      name: file.readUInt32LE(at),
      offset: Number(file.readBigUInt64LE(at + 0x18)),
      size: Number(file.readBigUInt64LE(at + 0x20)),
    };
  };
  const headers = Array.from({ length: count }, (_, i) => header(i));
  const strings = header(file.readUInt16LE(0x3e)).offset;
  return (wanted) => {
    const bytes = Buffer.from(`${wanted}\0`);
    const found = headers.find(({ name }) =>
      file.subarray(strings + name, strings + name + bytes.length).equals(bytes),
    );
    if (found === undefined) throw new Error(`uWebSockets.js has no section ${wanted}`);
    return found;
  };
}

/** The versions required of libc: where each Elf64_Vernaux lies, its index and its name. */
function readVersions(file, section, text) {
  const versions = [];
  for (let at = section.offset; ; ) {
    const isLibc = text(file.readUInt32LE(at + 4)) === "libc.so.6";
    let auxAt = at + file.readUInt32LE(at + 8);
    for (let left = file.readUInt16LE(at + 2); left > 0; left--) {
      const name = text(file.readUInt32LE(auxAt + 8));
      if (isLibc) versions.push({ at: auxAt, index: file.readUInt16LE(auxAt + 6), name });
      auxAt += file.readUInt32LE(auxAt + 12);
    }
    const next = file.readUInt32LE(at + 12);
    if (next === 0) return versions;
    at += next;
  }
}
