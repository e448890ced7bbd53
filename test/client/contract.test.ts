// The library's calls and ids are those of the exchange: as its own model reads and derives them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type ContractCall,
  callOperation,
  cancelCall,
  crossfillCall,
  Direction,
  ledgerOfPosition,
  limitCall,
  orderId,
  partsOfPosition,
  type SwapCall,
  TradeKind,
  updateCall,
} from "hopbook/client";
import {
  crossfillParameters,
  swapParameters,
  tradeParameters,
  updateParameters,
} from "../../src/devnet/contract/call.ts";
import { deriveOrderId } from "../../src/devnet/contract/order-id.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import { hostValueXdr } from "../../src/devnet/ledger/sc-val.ts";
import { xdrBytes } from "../../src/devnet/ledger/xdr-writer.ts";
import { address } from "../../src/model/address.ts";
import { orderId as modelId } from "../../src/model/order.ts";
import { position } from "../../src/model/position.ts";

const EXCHANGE = "CBJ747MKAGQO2LMJPOTCOONAWBLIIBSLOQE325R457TE5MIS6RTDJ4DC";
const ACCOUNT = address("GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5");
const XLM = address("CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC");
const USDC = address("CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA");
const I128_MAX = 2n ** 127n - 1n;
const U128_MAX = 2n ** 128n - 1n;
const U64_MAX = 2n ** 64n - 1n;
const APPROVE = { amount: I128_MAX, asset: XLM, live_until: 4_294_967_295 };
const APPROVAL = { amount: I128_MAX, asset: XLM, liveUntil: 4_294_967_295 };

function argumentsOf(call: ContractCall): readonly string[] {
  const operation = callOperation(EXCHANGE, call);
  assert.ok(operation.body.type === "invokeHostFunction");
  const { hostFunction } = operation.body.value;
  assert.ok(hostFunction.type === "hostFunctionTypeInvokeContract");
  const { contractAddress, functionName, args } = hostFunction.value;
  assert.ok(contractAddress.type === "scAddressTypeContract");
  assert.equal(String(functionName), call.fn);
  return args.map((arg) => arg.toXDR("base64"));
}

function expected(values: readonly Value[]): readonly string[] {
  return values.map((value) => xdrBytes(hostValueXdr(value)).toString("base64"));
}

describe("a call's operation", () => {
  const order = {
    direction: Direction.buy,
    trader: ACCOUNT,
    amount: I128_MAX,
    selling: XLM,
    buying: USDC,
    price: 10n ** 36n,
    nonce: U64_MAX,
    expires: U64_MAX,
  };

  it("has the arguments of a trade, with and without an approval", () => {
    const ids = [0n, 1n, U128_MAX];
    const call = limitCall({ ...order, orders: ids });
    const model = { ...order, kind: TradeKind.limit, orders: ids.map(modelId) };
    assert.deepEqual(argumentsOf(call), expected(tradeParameters.write(model)));
    const approving = { ...call, args: { ...call.args, approve: APPROVE } };
    assert.deepEqual(
      argumentsOf(approving),
      expected(tradeParameters.write({ ...model, approve: APPROVAL })),
    );
  });

  it("has the arguments of a swap", () => {
    const call: SwapCall = {
      fn: "swap",
      args: {
        direction: Direction.sell,
        trader: EXCHANGE,
        selling: XLM,
        selling_amount: 1n,
        buying_amount: I128_MAX,
        path: [
          { asset: USDC, orders: [U128_MAX] },
          { asset: XLM, orders: [] },
        ],
        approve: APPROVE,
      },
    };
    const model = swapParameters.write({
      direction: Direction.sell,
      trader: address(EXCHANGE),
      selling: XLM,
      sellingAmount: 1n,
      buyingAmount: I128_MAX,
      path: [
        { asset: USDC, orders: [modelId(U128_MAX)] },
        { asset: XLM, orders: [] },
      ],
      approve: APPROVAL,
    });
    assert.deepEqual(argumentsOf(call), expected(model));
  });

  it("has the arguments of updates, removals and crossfills", () => {
    const update = { amount: 5n, expires: U64_MAX, id: U128_MAX, price: 7n };
    assert.deepEqual(
      argumentsOf(updateCall(ACCOUNT, [update], [APPROVE])),
      expected(
        updateParameters.write({
          trader: ACCOUNT,
          updates: [{ ...update, id: modelId(U128_MAX) }],
          approvals: [APPROVAL],
        }),
      ),
    );
    const removed = { id: modelId(3n), amount: 0n, price: 1n, expires: 0n };
    assert.deepEqual(
      argumentsOf(cancelCall(ACCOUNT, [3n])),
      expected(updateParameters.write({ trader: ACCOUNT, updates: [removed], approvals: [] })),
    );
    assert.deepEqual(
      argumentsOf(crossfillCall(ACCOUNT, 9n, [U128_MAX])),
      expected(
        crossfillParameters.write({
          trader: ACCOUNT,
          takerOrder: modelId(9n),
          orders: [modelId(U128_MAX)],
        }),
      ),
    );
  });

  it("is refused where an argument does not fit its type", () => {
    for (const wrong of [
      { ...order, amount: I128_MAX + 1n },
      { ...order, nonce: -1n },
      { ...order, orders: [U128_MAX + 1n] },
      { ...order, trader: "GBAD" },
      { ...order, selling: "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5" },
    ]) {
      assert.throws(() => callOperation(EXCHANGE, limitCall(wrong)));
    }
  });
});

describe("an order's id", () => {
  it("is the contract's own, of accounts and contracts", () => {
    for (const owner of [ACCOUNT, address(EXCHANGE)]) {
      for (const nonce of [0n, 1n, 2n ** 63n, U64_MAX]) {
        assert.equal(orderId(owner, nonce), String(deriveOrderId(owner, nonce)));
      }
    }
    assert.throws(() => orderId(ACCOUNT, U64_MAX + 1n), /nonce/);
    assert.throws(() => orderId(ACCOUNT, -1n), /nonce/);
    assert.throws(() => orderId("GBAD", 1n));
  });
});

it("a position names its ledger, transaction, operation and event", () => {
  const parts = { ledger: 4_294_967_295, transaction: 7, operation: 1, index: 3 };
  assert.deepEqual(partsOfPosition(String(position(parts))), parts);
  assert.equal(ledgerOfPosition(String(position({ ...parts, ledger: 812 }))), 812);
  for (const text of ["", "-1", "1.5", "9".repeat(30), orderId(ACCOUNT, 1n)]) {
    assert.throws(() => ledgerOfPosition(text), /no position/);
  }
});
