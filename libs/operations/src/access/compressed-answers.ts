import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { Coding } from '../requests/accepted-coding.js';
import { acceptedCoding } from '../requests/accepted-coding.js';

/** A smaller answer fits into the packet that carries its head. */
export const compressedBytesMin = 1_024;
/** Answers that are compressed at once, on threads of libuv's: an answer that comes when they are busy goes as it is. */
export const compressionsMax = 8;
/** Levels at which 100 KB take a few milliseconds. */
const gzipLevel = 6;
const brotliQuality = 4;

const compressors: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: gzipLevel }),
};

/** What is about to be sent. */
export interface MadeAnswer {
  readonly payload: unknown;
  readonly contentType: unknown;
  /** Of the request. */
  readonly acceptEncoding: unknown;
}

/** Null: it is sent as it is. */
export interface CompressedAnswer {
  readonly payload: Buffer;
  readonly coding: Coding;
}

/** Answers in JSON to those who read compressed ones. Only for who has a token: others must not have us work for them. */
export class CompressedAnswers {
  private underWay = 0;

  /** @returns null where it is sent as it is */
  async compress({ payload, contentType, acceptEncoding }: MadeAnswer): Promise<CompressedAnswer | null> {
    const coding = typeof acceptEncoding === 'string' ? acceptedCoding(acceptEncoding) : null;
    const isJson = typeof contentType === 'string' && /^application\/json\b/.test(contentType);
    if (coding === null || !isJson || this.underWay >= compressionsMax) return null;
    const bytes =
      typeof payload === 'string' && Buffer.byteLength(payload) >= compressedBytesMin ? Buffer.from(payload) : null;
    if (bytes === null) return null;
    this.underWay += 1;
    try {
      return { payload: await compressors[coding](bytes), coding };
    } finally {
      this.underWay -= 1;
    }
  }
}
