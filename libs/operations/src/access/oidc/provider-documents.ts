import { isSecureUrl } from '#contracts';
import type { Clock } from '#platform';

import { ProviderAwayError } from './provider-away-error.js';

/** One document of the identity provider, from the request to its last byte. */
export const documentTimeoutMs = 5_000;
/** A document may have so many bytes; key sets have some thousands. */
export const documentBytesMax = 1_048_576;
/** After a failure the provider is left alone for so long: while it is away, visitors cost it no requests. */
export const providerRestMs = 5_000;

const ok = 200;

/** @throws {RangeError} where it is larger than any such document should be */
async function bodyOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the answer.
    if (bytes > documentBytesMax) throw new RangeError('the document is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Fetches what the identity provider publishes: encrypted or on this machine, bounded in time and size, no redirects. */
export class ProviderDocuments {
  private restsUntil = -Infinity;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** @throws {ProviderAwayError} whatever is wrong */
  async fetch(url: string): Promise<Response> {
    const restMs = this.restsUntil - this.clock.monotonic();
    if (restMs > 0) throw new ProviderAwayError(restMs);
    try {
      return await this.fetchNow(url);
    } catch (error) {
      throw this.away(error);
    }
  }

  /** What came cannot be used: the provider rests. */
  away(cause: unknown): ProviderAwayError {
    this.restsUntil = this.clock.monotonic() + providerRestMs;
    return new ProviderAwayError(providerRestMs, cause);
  }

  private async fetchNow(url: string): Promise<Response> {
    if (!isSecureUrl(url)) throw new TypeError('a document of the provider must be https unless it is loopback');
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(documentTimeoutMs),
    });
    const body = await bodyOf(response);
    if (response.status !== ok) throw new TypeError(`the provider answered with status ${response.status}`);
    return new Response(body);
  }
}
