import type { z } from 'zod';

/** What a body says fits into far less, unless it carries a whole record. */
export const apiBodyBytesMax = 64 * 1024;
/** A record of 1 MiB comes as text within JSON, every quote of it escaped. */
export const recordBodyBytesMax = 4 * 1024 * 1024;

/** A request that the operations API answers. */
export interface ApiRoute {
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly summary: string;
  /** Null: no token needed. */
  readonly role: 'viewer' | 'operator' | 'admin' | null;
  /** What of it takes an admin: a sentence. */
  readonly adminFor?: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** So large may its body be; absent: `apiBodyBytesMax`. */
  readonly bodyBytesMax?: number;
  /** What is answered with 200; absent: any JSON. */
  readonly answer?: z.ZodType;
  /** It answers a stream of Server-Sent Events instead: what each is. */
  readonly events?: Readonly<Record<string, string>>;
}
