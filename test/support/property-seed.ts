// Loaded before every test file (scripts/test.js): property tests try the same cases in each run, so that
// a failure comes of a change and not of other random cases.
import fc from "fast-check";

/** PROPERTY_SEED=… tries others. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
