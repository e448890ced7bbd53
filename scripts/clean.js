// A renamed source must not leave its old output behind: the tests run every file under dist.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
