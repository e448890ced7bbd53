// Loaded before every test file (scripts/test.js): the property tests try the same cases in each
// run, so that a red run is red for a change and not for its dice.
import fc from "fast-check";

/** PROPERTY_SEED=… tries others. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
