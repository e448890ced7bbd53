// What `hopbook/client` exports. The parts are files of their own, so that a bundler takes what is used:
// the Stellar SDK comes with call-operation, order-id and send alone.
export * from "../model/settlement.ts";
export * from "./call.ts";
export { callOperation } from "./call-operation.ts";
export { errorCode, errorName, errorWords, hostErrorWords } from "./error-words.ts";
export {
  type BookSide,
  type Level,
  LocalBook,
  type LocalOrder,
  type Outcome,
  type SimulatedFill,
  type Simulation,
  type Take,
} from "./local-book.ts";
export { orderId } from "./order-id.ts";
export { ledgerOfPosition, partsOfPosition } from "./position.ts";
export {
  displayPrice,
  type MarketDecimals,
  makerPriceDown,
  makerPriceUp,
  parseUnits,
  type Side,
  tokenAmount,
} from "./prices.ts";
export {
  type Arrival,
  type Channel,
  type ChannelMessage,
  type ConnectionState,
  type Listener,
  PushClient,
  type PushOptions,
  type Socket,
  type SocketConstructor,
  type Subscribe,
} from "./push.ts";
export { type Received, type StreamOptions, stream } from "./push-stream.ts";
export { type GetOptions, get, RequestError } from "./rest.ts";
export {
  type Network,
  SendError,
  type SendOptions,
  type SendStep,
  type Sent,
  sendCall,
  sendOperations,
  simulateCall,
} from "./send.ts";
