// The examples as a user runs them, in one world: a start of it takes longer than most of the cases.
import { after } from "node:test";
import "./depth-recorder-cases.ts";
import "./installed-cases.ts";
import "./taker-cases.ts";
import { sharedWorld } from "./world.ts";

after(async () => (await sharedWorld()).stop());
