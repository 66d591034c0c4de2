/** Where the operations API is, and who asks. */
export interface Connection {
  /** Without a slash at its end, such as `https://loyaltyd.example.org`. */
  readonly server: string;
  readonly token: string;
  /** How long one answer may take. */
  readonly timeoutMs: number;
}
