import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { DialectError } from './dialect-error.js';
import { parseDialect } from './parse-dialect.js';

/**
 * Reads the file named by `WALLET_DIALECT` and checks it. An empty file is a dialect without overrides.
 * @returns the file's own entries, to be laid under each program's overrides
 * @throws DialectError when it cannot be read, is no YAML or breaks a rule
 */
export async function loadDialectFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const entries = parseYaml(path, await read(path));
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
    throw new DialectError(path, ['(top): must be a mapping']);
  }
  const layer = entries as Record<string, unknown>;
  parseDialect(path, layer);
  return layer;
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new DialectError(path, [`cannot be read: ${(error as Error).message}`]);
  }
}

function parseYaml(path: string, text: string): unknown {
  try {
    return (parse(text) as unknown) ?? {};
  } catch (error) {
    throw new DialectError(path, [`is no YAML: ${(error as Error).message}`]);
  }
}
