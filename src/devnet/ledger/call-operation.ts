// A contract call, or a contract's creation, as the operation in the envelope.
import { type HostFunctionWire, Operation } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { addressWire, valueWire, xdrString } from "./sc-val.ts";
import type { CallIntent, DeployIntent, WorkContext } from "./work.ts";
import { writeAddress, writeValue } from "./write-value.ts";
import { encode, type XdrText, type XdrWriter, xdrText } from "./xdr-writer.ts";

/** XDR of the Operation. */
export function callOperation(intent: CallIntent | DeployIntent, context: WorkContext): XdrText {
  return intent.kind === "call" ? invoke(intent, context) : create(intent);
}

/** OperationType. */
const INVOKE_HOST_FUNCTION = 24;

/** By hand, since nearly every transaction is a call: the invocation is in it twice or more. */
function invoke(intent: CallIntent, context: WorkContext): XdrText {
  const invocation = encode((to) => {
    to.uint32(0); // a contract's function, both to call and to authorize
    writeAddress(to, addressWire(intent.contract));
    to.opaque(xdrString(intent.fn).bytes);
    to.list(intent.args, (arg) => writeValue(to, arg));
  });
  const signers = intent.signers ?? [];
  return encode((to) => {
    to.uint32(0); // no source of its own
    to.uint32(INVOKE_HOST_FUNCTION);
    to.xdr(invocation);
    to.uint32(1 + signers.length);
    to.uint32(0); // by the transaction's source
    writeAuthorized(to, invocation);
    for (const signer of signers) {
      writeCredentials(to, signer, context);
      writeAuthorized(to, invocation);
    }
  });
}

/** SorobanAuthorizedInvocation without sub-invocations. */
function writeAuthorized(to: XdrWriter, invocation: XdrText): void {
  to.xdr(invocation);
  to.uint32(0);
}

/** SorobanAddressCredentials with an empty signature: nobody verifies it. */
function writeCredentials(to: XdrWriter, signer: Address, context: WorkContext): void {
  to.uint32(1);
  writeAddress(to, addressWire(signer));
  to.int64(BigInt(context.now));
  to.uint32(0);
  writeValue(to, { type: "void" });
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
  const auth = [{ credentials: { type: 0 as const }, rootInvocation }];
  const body = { type: 24 as const, invokeHostFunctionOp: { hostFunction, auth } };
  return xdrText(Operation.schema.encode({ sourceAccount: null, body }));
}
