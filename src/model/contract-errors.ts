// The exchange contract's own error codes (the API document, "Contract error codes").

type ContractErrorText = {
  readonly name: string;
  /** What it means, where the name alone does not say it. */
  readonly meaning?: string;
};

export const CONTRACT_ERRORS: Readonly<Record<number, ContractErrorText>> = {
  701: { name: "NotAuthorized", meaning: "the order belongs to another account" },
  702: { name: "InsufficientBalance" },
  703: { name: "InsufficientAllowance" },
  704: { name: "InvalidMatch" },
  705: { name: "InvalidPrice" },
  706: { name: "InvalidAmount" },
  707: { name: "InvalidExpiration" },
  708: {
    name: "CannotReceive",
    meaning: "the recipient is missing, not authorized, or its trustline is full",
  },
  709: {
    name: "NotFilled",
    meaning: "the order or swap cannot be executed within its bounds",
  },
  710: { name: "OrderNotFound" },
  711: { name: "OrderExists", meaning: "an order id collision" },
  712: {
    name: "IntermediaryCannotReceive",
    meaning: "the asset's issuer has not authorized the contract to hold it",
  },
  720: { name: "OrderSizeTooSmall", meaning: "below the minimum trade size" },
  721: { name: "AssetsNotVerifiedByOracle", meaning: "no market was opened for the pair" },
  722: { name: "AssetPriceOracleFetchFailed", meaning: "no recent oracle price" },
  723: { name: "InvalidOracleConfig" },
  730: { name: "Frozen" },
  740: { name: "Overflow" },
};
