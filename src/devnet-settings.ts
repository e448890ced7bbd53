// The devnet's options as settings of the process: its schema names and describes them, so that
// an option added there is a flag here.
import { z } from "zod";
import type { DevnetSettings } from "./config/config.ts";
import type { Setting } from "./config/setting.ts";
import { type DevnetOptions, devnetOptionsSchema } from "./devnet/options.ts";

type OptionName = keyof typeof devnetOptionsSchema.shape;

/** Makes no sense in a process of its own. */
const INTERNAL: OptionName = "manual";

/** Options whose own name would read as the engine's. */
const RENAMED: Readonly<Record<string, string>> = {
  directory: "devnet-dir",
  host: "devnet-host",
  passphrase: "devnet-passphrase",
  port: "devnet-port",
} satisfies Partial<Record<OptionName, string>>;

/** Where a process of its own does otherwise than one that a test or a bench starts. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  // Candles, tickers and archives are there when the page is first opened.
  historyMinutes: 120,
} satisfies Partial<DevnetOptions>;

const options = Object.entries(devnetOptionsSchema.shape)
  .filter(([option]) => option !== INTERNAL)
  .map(([option, schema]) => ({ option, setting: settingOf(option, schema) }));

export const devnetSettings: DevnetSettings<DevnetOptions> = {
  settings: options.map(({ setting }) => setting),
  read: (values) =>
    devnetOptionsSchema.parse(
      Object.fromEntries(options.map(({ option, setting }) => [option, values[setting.name]])),
    ),
};

function settingOf(option: string, schema: z.ZodType): Setting {
  const name = RENAMED[option] ?? option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const byDefault = DEFAULTS[option] ?? schema.safeParse(undefined).data;
  return {
    name,
    help: schema.description ?? "",
    schema: textOf(schema),
    ...(byDefault === undefined ? {} : { default: String(byDefault) }),
  };
}

/** The schema of an option, for its value written as text. */
function textOf(schema: z.ZodType): z.ZodType<unknown, string> {
  return z.string().transform((text, context) => {
    const asText = schema.safeParse(text);
    if (asText.success) return asText.data;
    const result = schema.safeParse(plainValue(text));
    if (result.success) return result.data;
    const message = result.error.issues[0]?.message ?? "invalid value";
    // What was received is shown as it was written; its type here is always text.
    const expected = message.toLowerCase().replace(/, received \w+$/, "");
    context.addIssue({ code: "custom", message: expected });
    return z.NEVER;
  });
}

function plainValue(text: string): unknown {
  if (/^-?[0-9]{1,15}$/.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  return text;
}
