import { httpProblem } from '#operations';

/** The largest value that is read of a record; a topic may take less. */
export const doorBodyBytesMax = 1024 * 1024;

const none = new Uint8Array(0);

/** The body as it came. @throws {ApiProblem} 415 where it was parsed as something else */
export function rawBody(body: unknown): Uint8Array {
  if (body === undefined || body === null) return none;
  if (body instanceof Uint8Array) return body;
  throw httpProblem(415);
}
