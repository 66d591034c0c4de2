import zlib from 'node:zlib';
import { contentCodingsMax } from '../limits.js';
import type { HttpResult } from './http-exchange.js';

type Undo = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** By the names of RFC 9110 section 8.4.1, and zstd (RFC 8878). */
const UNDO: ReadonlyMap<string, Undo> = new Map<string, Undo>([
  ['gzip', zlib.gunzipSync],
  ['x-gzip', zlib.gunzipSync],
  ['deflate', (bytes, options) => (isZlib(bytes) ? zlib.inflateSync : zlib.inflateRawSync)(bytes, options)],
  ['br', zlib.brotliDecompressSync],
  ['zstd', zlib.zstdDecompressSync],
]);

/** "deflate" is zlib's format (RFC 1950), but many servers send the bare one (RFC 1951). */
function isZlib(bytes: Buffer): boolean {
  return bytes.length > 1 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/**
 * An answer without the codings of its body (Content-Encoding): `identity` is asked for, and gateways compress all the
 * same. What cannot be undone stays as it came, with its header. Larger than `bytesMax` it counts as cut off.
 */
export function decoded(result: HttpResult, bytesMax: number): HttpResult {
  const said = result.headers['content-encoding'];
  if (said === undefined || result.phase !== 'answered' || result.body.length === 0) return result;
  const names = said
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const codings = names.filter((name) => name !== '' && name !== 'identity');
  if (codings.length > contentCodingsMax) return result;
  try {
    const body = codings.reduceRight((bytes, name) => undo(bytes, name, bytesMax), result.body);
    const { 'content-encoding': _coding, 'content-length': _length, ...headers } = result.headers;
    return { ...result, headers, body };
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? { ...result, phase: 'sent', error: 'response-too-large', body: Buffer.alloc(0) } : result;
  }
}

/** @throws when it is no such coding */
function undo(bytes: Buffer, name: string, maxOutputLength: number): Buffer {
  const one = UNDO.get(name);
  if (one === undefined) throw new TypeError('a coding that nobody here knows');
  return one(bytes, { maxOutputLength });
}
