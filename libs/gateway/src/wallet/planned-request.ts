/** A request of the wallet API before it gets a token. */
export interface PlannedRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path and query below the base address. */
  readonly path: string;
  /** JSON text; `null` where no body is sent. */
  readonly body: string | null;
  /** A longer answer is cut off; default `responseBodyBytesMax`. */
  readonly responseBytesMax?: number;
}
