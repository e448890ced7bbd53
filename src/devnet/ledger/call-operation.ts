// A contract call, or a contract's creation, as the operation in the envelope.
import {
  type HostFunctionWire,
  Operation,
  SorobanAuthorizedInvocation,
  type SorobanCredentialsWire,
} from "@stellar/stellar-sdk/xdr";
import { unsignedWire } from "./authorization.ts";
import { invocationWire } from "./event.ts";
import { addressWire, valueWire } from "./sc-val.ts";
import type { CallIntent, DeployIntent, WorkContext } from "./work.ts";
import { encode } from "./xdr-encoder.ts";
import type { XdrText } from "./xdr-writer.ts";

/** OperationType. */
const INVOKE_HOST_FUNCTION = 24;
/** Credentials of the transaction's source. */
const BY_SOURCE = { type: 0 } as const;

/** XDR of the Operation. The signers' signatures are empty: nobody verifies them. */
export function callOperation(intent: CallIntent | DeployIntent, context: WorkContext): XdrText {
  return intent.kind === "call" ? invoke(intent, context) : create(intent);
}

function invoke(intent: CallIntent, { now }: WorkContext): XdrText {
  const invokeContract = invocationWire(intent);
  const rootInvocation = encode(SorobanAuthorizedInvocation, {
    function: { type: 0, contractFn: invokeContract },
    subInvocations: [],
  });
  const bySigners = (intent.signers ?? []).map(
    (signer): SorobanCredentialsWire => ({ type: 1, address: unsignedWire(signer, BigInt(now)) }),
  );
  const auth = [BY_SOURCE, ...bySigners].map((credentials) => ({ credentials, rootInvocation }));
  const invokeHostFunctionOp = { hostFunction: { type: 0, invokeContract } as const, auth };
  return encode(Operation, {
    sourceAccount: null,
    body: { type: INVOKE_HOST_FUNCTION, invokeHostFunctionOp },
  });
}

function create(intent: DeployIntent): XdrText {
  const createContractV2 = {
    contractIdPreimage: {
      type: 0 as const,
      fromAddress: { address: addressWire(intent.source), salt: intent.salt },
    },
    executable: { type: 0 as const, wasmHash: intent.wasmHash },
    constructorArgs: intent.args.map(valueWire),
  };
  const hostFunction: HostFunctionWire = { type: 3, createContractV2 };
  const rootInvocation = {
    function: { type: 2 as const, createContractV2HostFn: createContractV2 },
    subInvocations: [],
  };
  const auth = [{ credentials: BY_SOURCE, rootInvocation }];
  const body = {
    type: INVOKE_HOST_FUNCTION,
    invokeHostFunctionOp: { hostFunction, auth },
  } as const;
  return encode(Operation, { sourceAccount: null, body });
}
