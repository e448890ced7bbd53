/** The path that an engine under load answers with a fixed body of 2 KB. */
export const FIXED_PATH = "/fixed-2k";
