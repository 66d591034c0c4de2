/** The only source of randomness for ingest and delivery: ids, initialisation vectors, jitter. */
export interface Random {
  /** `count` cryptographically strong bytes. */
  bytes(count: number): Uint8Array;
  /** A new UUID, as text. */
  uuid(): string;
  /** Uniform in [0, 1). */
  unit(): number;
}
