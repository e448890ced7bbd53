/** A message of the push API; whoever subscribed knows what else its type holds. */
export type Message = Readonly<Record<string, unknown>> & { readonly type: string };
