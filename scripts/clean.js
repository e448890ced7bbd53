// Empties dist: the tests run every file there, and a renamed source would leave its old output.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
