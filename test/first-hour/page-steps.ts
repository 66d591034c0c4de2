import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { checkoutRoot } from '#test-support';

/** A block of docs/getting-started.md that a reader types. */
export interface PageStep {
  readonly command: string;
  /** `dev` stays in a terminal of its own; what is looked at is looked at again until it is there. */
  readonly kind: 'install' | 'docker' | 'stays' | 'look' | 'run';
}

const block = /^```sh( \w+)?\n(.*?)^```$/gms;

/** All of them, in their order. */
export function pageSteps(): PageStep[] {
  const text = readFileSync(join(checkoutRoot, 'docs/getting-started.md'), 'utf8');
  return [...text.matchAll(block)].map(([, info = '', command = '']) => ({
    command: command.trim(),
    kind: kindOf(info.trim(), command),
  }));
}

function kindOf(info: string, command: string): PageStep['kind'] {
  if (info === 'install' || info === 'docker') return info;
  if (command.includes(' loyaltyd dev ')) return 'stays';
  return command.includes('/__ledger') ? 'look' : 'run';
}
