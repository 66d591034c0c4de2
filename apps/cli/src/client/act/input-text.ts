import { createReadStream } from 'node:fs';

import { wrongUsage } from '../../command-line/command-failure.js';
import { readAll } from '../terminal/read-all.js';
import type { Terminal } from '../terminal/terminal.js';

/** As large as a source record may be. */
const inputBytesMax = 1024 * 1024;

async function bytesOf(terminal: Terminal, file: string): Promise<Buffer> {
  if (file === '-') return terminal.readInput(inputBytesMax);
  try {
    return await readAll(createReadStream(file), inputBytesMax);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw wrongUsage(`--file: ${file} cannot be read (${code})`);
  }
}

/** The text of a file, or of standard input by `-`. @throws {CommandFailure} that does not quote it */
export async function inputText(terminal: Terminal, file: string): Promise<string> {
  const bytes = await bytesOf(terminal, file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wrongUsage(`--file: ${file} is no UTF-8 text`);
  }
}

/** The JSON of a file, or of standard input by `-`. @throws {CommandFailure} that does not quote it */
export async function inputJson(terminal: Terminal, file: string): Promise<unknown> {
  const text = await inputText(terminal, file);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrongUsage(`--file: ${file} is no JSON`);
  }
}
