import type { Chance } from '#shop';

/** What is fuzzed, and what it must never do. An input is bytes, whatever they mean: so it can be kept, cut and repeated. */
export interface FuzzTarget {
  readonly name: string;
  /** Inputs to begin with, beside the kept ones. */
  readonly samples: readonly Buffer[];
  /** A new input out of those that were of interest so far. */
  make(chance: Chance, pool: readonly Buffer[]): Buffer;
  /**
   * @returns what came of it, in few words: an input of which something new comes is of interest
   * @throws whatever is wrong: a `Finding`, or what the product itself threw
   */
  judge(input: Buffer): Promise<string> | string;
  /** What one input may use of a processor, where that is more than usual. */
  readonly cpuMsMax?: number;
  close?(): Promise<void>;
}

/** Something that the product must not do. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

/** @throws Finding where it does not hold */
export function mustHold(holds: boolean, what: string, shown?: unknown): asserts holds {
  if (!holds) throw new Finding(shown === undefined ? what : `${what}: ${JSON.stringify(shown)}`);
}

const newline = 0x0a;

/** An input of two parts: a line of JSON, and bytes. */
export function joinHead(head: unknown, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(JSON.stringify(head)), Buffer.of(newline), body]);
}

/** Null where there is no such line, as while a failing input is cut shorter. */
export function splitHead(input: Buffer): { readonly head: object; readonly body: Buffer } | null {
  const end = input.indexOf(newline);
  const head = end === -1 ? undefined : jsonOf(input.subarray(0, end));
  return typeof head === 'object' && head !== null ? { head, body: input.subarray(end + 1) } : null;
}

/** `undefined` where it is no JSON. */
export function jsonOf(text: Buffer | string): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return undefined;
  }
}
