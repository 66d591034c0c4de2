import type { PassIssued } from '#contracts';
import { walletPassSchema } from '#contracts';

/** What the outcomes topic tells about a pass. */
export type PassFacts = Omit<PassIssued, 'program' | 'memberId'>;

const shape = walletPassSchema.shape;

/** Fewer digits than this always fit into a float exactly. */
const longNumber = /\d{16}/;

/** The partner's ids beyond 2^53 become their decimal text instead of a rounded float. */
function exactInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? source : value;
}

function parse(text: string): unknown {
  try {
    return longNumber.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
  } catch {
    return null;
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function field<Name extends keyof PassFacts>(answer: unknown, name: Name): PassFacts[Name] {
  const read = shape[name].safeParse(property(answer, name));
  return (read.success ? (read.data ?? null) : null) as PassFacts[Name];
}

/**
 * The pass in the evidence of an attempt or a lookup: the body of its response. Null where there is none, or none that
 * names itself: an answer without serial number is no pass. What is missing or mistyped is null.
 */
export function issuedPass(evidence: string): PassFacts | null {
  const told = parse(evidence);
  // Of an attempt in doubt it is the lookup that tells.
  const response = property(told, 'response') ?? property(property(told, 'lookup'), 'response');
  const body = property(response, 'body');
  const answer = typeof body === 'string' ? parse(body) : null;
  const serialNumber = field(answer, 'serialNumber');
  if (serialNumber === null) return null;
  return {
    passId: field(answer, 'passId'),
    serialNumber,
    downloadUrl: field(answer, 'downloadUrl'),
    downloadUrlApple: field(answer, 'downloadUrlApple'),
    downloadUrlGoogle: field(answer, 'downloadUrlGoogle'),
    statusCode: field(answer, 'statusCode'),
  };
}
