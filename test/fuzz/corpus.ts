import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const isCompiled = import.meta.filename.endsWith('.js');
const folder = fileURLToPath(new URL(isCompiled ? '../../../test/fuzz/corpus/' : './corpus/', import.meta.url));
/** Larger ones are not kept: what they show, smaller ones show too. */
const keptBytesMax = 4 * 1024;
/** Of one run and target: the last ones, which were the hardest to come by. */
const keptMax = 24;
const nameChars = 16;

/** The kept inputs of a target, in the order of their names. */
export function keptInputs(target: string): Buffer[] {
  const own = join(folder, target);
  try {
    return readdirSync(own)
      .toSorted()
      .map((name) => readFileSync(join(own, name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Each in a file that is named after what it holds. */
export function keepInputs(target: string, inputs: readonly Buffer[]): void {
  const own = join(folder, target);
  mkdirSync(own, { recursive: true });
  for (const input of inputs.filter(({ length }) => length <= keptBytesMax).slice(-keptMax)) {
    writeFileSync(join(own, createHash('sha256').update(input).digest('hex').slice(0, nameChars)), input);
  }
}
