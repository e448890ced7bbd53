// A contract call, or a contract's creation, as the operation in the envelope.
import type {
  HostFunctionWire,
  OperationWire,
  SorobanAuthorizationEntryWire,
  SorobanAuthorizedFunctionWire,
} from "@stellar/stellar-sdk/xdr";
import type { CallIntent } from "./call-work.ts";
import { addressWire, VOID_WIRE, valueWire, xdrString } from "./sc-val.ts";
import type { DeployIntent, WorkContext } from "./work.ts";

export function callOperation(
  intent: CallIntent | DeployIntent,
  context: WorkContext,
): OperationWire {
  const { hostFunction, authorized } = intent.kind === "call" ? invoke(intent) : create(intent);
  const signers = intent.kind === "call" ? (intent.signers ?? []) : [];
  const rootInvocation = { function: authorized, subInvocations: [] };
  const auth: SorobanAuthorizationEntryWire[] = [
    { credentials: { type: 0 }, rootInvocation },
    ...signers.map(
      (signer): SorobanAuthorizationEntryWire => ({
        credentials: {
          type: 1,
          address: {
            address: addressWire(signer),
            nonce: BigInt(context.now),
            signatureExpirationLedger: 0,
            signature: VOID_WIRE,
          },
        },
        rootInvocation,
      }),
    ),
  ];
  return { sourceAccount: null, body: { type: 24, invokeHostFunctionOp: { hostFunction, auth } } };
}

type Invoked = {
  readonly hostFunction: HostFunctionWire;
  readonly authorized: SorobanAuthorizedFunctionWire;
};

function invoke(intent: CallIntent): Invoked {
  const contractFn = {
    contractAddress: addressWire(intent.contract),
    functionName: xdrString(intent.fn),
    args: intent.args.map(valueWire),
  };
  return {
    hostFunction: { type: 0, invokeContract: contractFn },
    authorized: { type: 0, contractFn },
  };
}

function create(intent: DeployIntent): Invoked {
  const createContractV2 = {
    contractIdPreimage: {
      type: 0 as const,
      fromAddress: { address: addressWire(intent.source), salt: intent.salt },
    },
    executable: { type: 0 as const, wasmHash: intent.wasmHash },
    constructorArgs: intent.args.map(valueWire),
  };
  return {
    hostFunction: { type: 3, createContractV2 },
    authorized: { type: 2, createContractV2HostFn: createContractV2 },
  };
}
