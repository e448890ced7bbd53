// Takes a quote: asks for it, builds the call, simulates, signs and sends it, and waits for its own trade
// on the push API.
//
//   node dist/examples/send-quote.js --sell XLM --buy CODE:ISSUER --amount 10000000
//
// Without assets it buys the base of the busiest market for 10 tokens of its quote asset.
import type { PushMessage } from "hopbook/api";
import { get, ledgerOfPosition, quoteCall, sendCall, withApproval } from "hopbook/client";
import { connect, endProcess } from "./connect.ts";
import { readFlags, requireIntegers, wrongUsage } from "./flags.ts";
import { busiestMarket, NETWORK_FLAGS, NETWORK_USAGE, POLL_MS, Trader } from "./trader.ts";

const USAGE = `send-quote [--sell ASSET --buy ASSET] [--amount BASE_UNITS] [--receive] [--slippage-bps 50]
  ${NETWORK_USAGE}`;

const flags = readFlags(USAGE, {
  ...NETWORK_FLAGS,
  sell: { type: "string" },
  buy: { type: "string" },
  amount: { type: "string", default: "100000000" },
  /** --amount is what to buy, not what to sell. */
  receive: { type: "boolean", default: false },
  /** What a swap may turn out worse than quoted. */
  "slippage-bps": { type: "string", default: "50" },
});
if ((flags.sell === undefined) !== (flags.buy === undefined)) {
  wrongUsage(USAGE, "--sell and --buy come together");
}
requireIntegers(USAGE, { amount: flags.amount }, 1);
requireIntegers(USAGE, { "slippage-bps": flags["slippage-bps"] }, 0);

await main().catch(endProcess);

async function main(): Promise<void> {
  const { url, amount } = flags;
  const trader = await Trader.open(flags);
  const { sell, buy } = await assets();
  await trader.hold([sell, buy]);

  const push = connect(url);
  const quote = await get(url, "/quote", {
    sellingAsset: sell,
    buyingAsset: buy,
    amount,
    direction: flags.receive ? "strict_receive" : "strict_send",
  });
  const slippageBps = Number(flags["slippage-bps"]);
  const plain = quoteCall(quote, { trader: trader.address, slippageBps });
  if (plain === undefined) throw new Error("error" in quote ? quote.error : "no route");
  const held = await trader.backing(quote.sellingAsset);
  const call = withApproval(plain, { ledger: quote.ledger, held });

  // Subscribed before the call is sent: nothing of it can be missed.
  const trades: PushMessage[] = [];
  const seen = await subscribed();
  const { hash, ledger } = await sendCall(trader.network, trader.signer, call, { pollMs: POLL_MS });
  console.log(JSON.stringify({ fn: call.fn, hash, ledger }));
  await seen(ledger);
  push.close();
  if (trades.length === 0) throw new Error("nothing was filled: the listed orders were gone");
  for (const message of trades) {
    if (message.type === "trade") console.log(JSON.stringify(message.trade));
    if (message.type === "swap") console.log(JSON.stringify(message.swap));
  }

  /** Resolves once the account is followed, with how to wait until a ledger was told as a whole. */
  function subscribed(): Promise<(of: number) => Promise<void>> {
    let told = 0;
    let changed = (): void => undefined;
    push.subscribe(
      { channel: "contract" },
      {
        message: (message) => {
          // The last message of its ledger: everything before it was told.
          if (message.type === "ledger") told = message.ledger;
          changed();
        },
        refused: endProcess,
      },
    );
    const until = async (of: number): Promise<void> => {
      while (told < of) {
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    };
    return new Promise((resolve) => {
      push.subscribe(
        { channel: "account", address: trader.address },
        {
          message: (message) => {
            if (message.type === "account") resolve(until);
            if (message.type === "trade" && isOwn(message.trade.id)) trades.push(message);
            if (message.type === "swap" && isOwn(message.swap.id)) trades.push(message);
          },
          refused: endProcess,
        },
      );
    });
  }

  function isOwn(position: string): boolean {
    return ledgerOfPosition(position) > quote.ledger;
  }

  async function assets(): Promise<{ readonly sell: string; readonly buy: string }> {
    if (flags.sell !== undefined && flags.buy !== undefined) {
      return { sell: flags.sell, buy: flags.buy };
    }
    const [buy = "", sell = ""] = (await busiestMarket(url)).split("/");
    return { sell, buy };
  }
}
