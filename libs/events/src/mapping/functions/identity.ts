import { createHash } from 'node:crypto';

import { MapRefusal } from '../map-error.js';
import type { Native } from '../native.js';
import type { Value } from '../values.js';
import { kindOf } from './arguments.js';

const partsMax = 20;

/** Different parts never give the same text: each says what it is and how long. */
function written(part: Value): string {
  if (part === undefined || part === null || part === '') {
    throw new MapRefusal('$stable: a part of the identity is missing');
  }
  if (typeof part === 'object') throw new MapRefusal(`$stable takes text, and a part is ${kindOf(part)}`);
  const text = String(part);
  return `${(typeof part).slice(0, 1)}${text.length}:${text}`;
}

const stable: Native = {
  ...{ name: 'stable', takes: [1, partsMax], kind: 'other' },
  run(parts, run) {
    run.charge(20);
    return createHash('sha256').update(parts.map(written).join('')).digest('hex');
  },
};

/** Text of the map itself, as it was judged. */
function wordsOf(value: Value): string {
  return typeof value === 'string' ? value : '';
}

const required: Native = {
  ...{ name: 'required', takes: [2, 2], kind: 'other', literals: [1] },
  run([value, path]) {
    if (value === undefined || value === null || value === '') {
      throw new MapRefusal(`the record has no ${wordsOf(path)}`);
    }
    return value;
  },
};

const error: Native = {
  ...{ name: 'error', takes: [1, 1], kind: 'never', literals: [0] },
  run([words]) {
    throw new MapRefusal(wordsOf(words));
  },
};

const assert: Native = {
  ...{ name: 'assert', takes: [2, 2], kind: 'other', literals: [1], decides: 0 },
  run([holds, words]) {
    if (holds !== true) throw new MapRefusal(wordsOf(words));
    return undefined;
  },
};

export const identity: readonly Native[] = [stable, required, error, assert];
