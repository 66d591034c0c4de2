import { recordBytesMax } from '#contracts';

/**
 * Longest sample read. A record within a sample may be escaped text, so that more is read here than the daemon reads of
 * a record's value: what is between the two it refuses itself.
 */
export const sampleBytesMax = 2 * recordBytesMax;

/** One sample as it stands in its file. `null`: longer than `sampleBytesMax`, its bytes were let go. */
export interface RawSample {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly bytes: Buffer | null;
}

const spaces = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** JSON's white space. */
export function isSpace(byte: number): boolean {
  return spaces.has(byte);
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every(isSpace);
}

/** Gathers one sample from the pieces of a stream; lets go of it as soon as it is too long. */
export class SampleBytes {
  private pieces: Buffer[] = [];
  private length = 0;

  add(piece: Buffer): void {
    this.length += piece.length;
    if (this.length <= sampleBytesMax) this.pieces.push(piece);
    else this.pieces = [];
  }

  /** What was gathered, and begins anew. Null for nothing but white space. */
  take(line: number): RawSample | null {
    const { pieces, length } = this;
    this.pieces = [];
    this.length = 0;
    if (length > sampleBytesMax) return { line, bytes: null };
    const bytes = Buffer.concat(pieces, length);
    return isBlank(bytes) ? null : { line, bytes };
  }
}
