import { readFileSync } from 'node:fs';

import { wrongUsage } from '../../command-line/command-failure.js';

/** What the operations API accepts as one. */
const tokenPattern = /^[\w~+/.=-]{1,4096}$/;
/** A longer file is something else. */
export const tokenBytesMax = 8_192;

/** A token without the line break after it. @throws {CommandFailure} which does not quote it */
export function checkedToken(text: string, origin: string): string {
  const token = text.trim();
  if (tokenPattern.test(token)) return token;
  throw wrongUsage(`${origin}: ${token === '' ? 'holds no token' : 'this is no token'}`);
}

/** @throws {CommandFailure} */
export function tokenInFile(path: string, origin: string): string {
  return checkedToken(textOf(path, origin), origin);
}

function textOf(path: string, origin: string): string {
  try {
    return readFileSync(path, 'utf8').slice(0, tokenBytesMax);
  } catch (error) {
    throw wrongUsage(`${origin}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}
