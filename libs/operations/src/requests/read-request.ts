import type { ExecutionContext, PipeTransform } from '@nestjs/common';
import { createParamDecorator } from '@nestjs/common';
import { z } from 'zod';

import { ApiProblem } from '../problems/api-problem.js';

function invalid(detail: string): ApiProblem {
  return new ApiProblem({
    status: 400,
    code: 'invalid-request',
    title: 'The request does not say what it should',
    detail,
  });
}

/** Postgres keeps no text with U+0000, so that nothing of ours is called so. */
const nul = '\u0000';

/** Half of a surrogate pair is no text either: JSON can spell it, and Postgres keeps no JSON that does. */
function unkeptIn(text: string): string | null {
  if (text.includes(nul)) return 'U+0000 is not allowed';
  return text.isWellFormed() ? null : 'half a surrogate pair is not allowed';
}

/** What Postgres would not keep of what was sent, however deep it stands; null: nothing. */
function findUnkept(sent: unknown): string | null {
  const left = [sent];
  while (left.length > 0) {
    const value = left.pop();
    const unkept = typeof value === 'string' ? unkeptIn(value) : null;
    if (unkept !== null) return unkept;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, item] of Object.entries(value)) left.push(name, item);
  }
  return null;
}

/**
 * What a request says, as its schema has it; without a body it says what an empty one does.
 * @throws {ApiProblem} that names what is wrong, and quotes no values
 */
export function readRequest<S extends z.ZodType>(schema: S, sent: unknown): z.output<S> {
  const unkept = findUnkept(sent);
  if (unkept !== null) throw invalid(unkept);
  const read = schema.safeParse(sent === undefined ? {} : sent);
  if (read.success) return read.data;
  throw invalid(z.prettifyError(read.error));
}

/**
 * Reads a part of a request by its schema: `@Body(new ZodPipe(schema))`, `@Query(new ZodPipe(schema))`. Pipes run after
 * the guard: a caller without the role does not learn what is wrong with the request.
 */
export class ZodPipe<S extends z.ZodType> implements PipeTransform<unknown, z.output<S>> {
  constructor(readonly schema: S) {}

  transform(sent: unknown): z.output<S> {
    return readRequest(this.schema, sent);
  }
}

/** `@BodyOrQuery(new ZodPipe(schema))`: some clients and proxies drop the body of a DELETE. */
export const BodyOrQuery = createParamDecorator((_data: unknown, context: ExecutionContext): unknown => {
  const { body, query } = context.switchToHttp().getRequest<{ readonly body?: unknown; readonly query: unknown }>();
  return body === undefined ? query : body;
});

/** @throws {ApiProblem} */
export function refuseRequest(detail: string): never {
  throw invalid(detail);
}

/** `@Param('id', IdPipe)`: a number in the path that names something. The front door has held it against its contract. */
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    return Number(text);
  }
}

/** A part of a request's path as it was sent, counted from its end (-1 is the last): what Nest gives has been decoded. */
export function rawPart(context: ExecutionContext, fromEnd: number): string {
  const { url } = context.switchToHttp().getRequest<{ readonly url: string }>();
  return url.split('?', 1)[0]?.split('/').at(fromEnd) ?? '';
}

export const RawPath = createParamDecorator((fromEnd: number, context: ExecutionContext) => rawPart(context, fromEnd));

/** A part of a path, or null where it is not percent-encoded as it should be, or names nothing that could be kept. */
export function decodedPart(text: string): string | null {
  try {
    const part = decodeURIComponent(text);
    return part.includes(nul) ? null : part;
  } catch {
    return null;
  }
}

/** `from` and `to` of a query, as epoch ms; what is left out stays out. */
export function timeRange({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly from?: number;
  readonly to?: number;
} {
  return {
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(to === undefined ? {} : { to: Date.parse(to) }),
  };
}

/** A time as the API writes it. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Null stays null. */
export function isoTimeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : isoTime(atMs);
}

interface RangeLimits {
  /** Where the request does not say from when. */
  readonly usualMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** `from` and `to` of a query, as epoch ms: until now, unless it says otherwise. @throws {ApiProblem} */
export function rangeMeant(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: number,
  { usualMs, leastMs, mostMs }: RangeLimits,
): { readonly from: number; readonly to: number } {
  const { to = now, from = to - usualMs } = timeRange(asked);
  if (to - from < leastMs) refuseRequest(`from: at least ${leastMs / 60_000} minutes before to`);
  if (to - from > mostMs) refuseRequest(`from: at most ${mostMs / 86_400_000} days before to`);
  return { from, to };
}
