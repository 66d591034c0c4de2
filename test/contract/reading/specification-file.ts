import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** A file of the suite, or one that the user gave, cannot be used; the message names it. */
export class DataError extends Error {
  override readonly name = 'DataError';
}

/** Compiled or not, the suite runs from a checkout: its data is not copied beside the compiled program. */
function checkoutFolder(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const above = dirname(from);
  if (above === from) throw new DataError('the contract suite runs from a checkout only');
  return checkoutFolder(above);
}

/** Where the suite's own data lies. */
export function specificationPath(name: string): string {
  return join(checkoutFolder(import.meta.dirname), 'test', 'contract', 'specification', name);
}

/** The YAML of a file; merge keys (`<<`) are understood. @throws DataError */
export function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'), { merge: true }) as unknown;
  } catch (error) {
    throw new DataError(`${path}: cannot be read: ${(error as Error).message}`);
  }
}
