/** A value of a unique attribute; it may be used once per transaction type. */
export interface UniqueValue {
  readonly brandId: string;
  readonly programId: string;
  readonly transactionTypeId: string;
  readonly attribute: string;
  readonly value: string;
}

export interface Transaction {
  readonly transactionId: number;
  readonly brandId: string;
  readonly programId: string;
  readonly transactionTypeId: string;
  readonly passId: number;
  readonly amount: number;
  /** As it was sent. */
  readonly transactionDate: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}
