/** One request as it goes on the wire. */
export interface HttpRequest {
  /** Scheme, host and port: `https://partner.example`. */
  readonly origin: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** From here to the last byte of the answer, waiting for a connection included. */
  readonly timeoutMs: number;
  /** A longer answer is cut off; default `responseBodyBytesMax`. */
  readonly responseBytesMax?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}
