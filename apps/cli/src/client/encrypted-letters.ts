import { readFile } from 'node:fs/promises';

import type { OpenedLetter } from '#ingest';
import { letterOpener } from '#ingest';
import { SafeError } from '#platform';

import { CommandFailure, exitNothingMatched, exitOk, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { OutputFlags } from './flags.js';
import type { ListView } from './output.js';
import { listWriter } from './output.js';

/** Of all letters together. */
const lettersBytesMax = 64 * 1024 * 1024;

/** A letter as it is shown. */
interface ShownLetter extends Omit<OpenedLetter, 'key' | 'value'> {
  readonly key: string | null;
  /** Text, or base64 where it is no UTF-8. */
  readonly value: string | null;
  readonly encoding: 'text' | 'base64';
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function shown({ key, value, ...letter }: OpenedLetter): ShownLetter {
  const text = value === null ? null : textOf(value);
  const isText = value === null || text !== null;
  return {
    ...letter,
    key: key === null ? null : (textOf(key) ?? Buffer.from(key).toString('base64')),
    value: isText ? text : Buffer.from(value).toString('base64'),
    encoding: isText ? 'text' : 'base64',
  };
}

const view: ListView<ShownLetter> = {
  columns: [
    { title: 'ID', of: ({ quarantineId }) => quarantineId, side: 'right' },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'RECORD', of: ({ topic, partition, offset }) => `${topic}/${partition}@${offset}` },
    { title: 'KEY', of: ({ key }) => key },
    { title: 'DETAIL', of: ({ detail }) => detail },
    { title: 'VALUE', of: ({ value }) => value, isWide: true },
  ],
  nameOf: ({ quarantineId }) => String(quarantineId),
};

export interface LettersFlags extends OutputFlags {
  /** Holds the private key. */
  readonly keyFile: string;
}

async function openerOf(keyFile: string): Promise<ReturnType<typeof letterOpener>> {
  const text = await readFile(keyFile, 'utf8').catch(() => {
    throw wrongUsage(`--key-file: ${keyFile} cannot be read`);
  });
  try {
    return letterOpener(text);
  } catch (error) {
    if (!(error instanceof SafeError)) throw error;
    throw wrongUsage(`--key-file: ${error.message}`);
  }
}

/** Opens encrypted dead letters from standard input, one a line. Asks no server. @returns the exit code */
export async function openLetters(terminal: Terminal, { keyFile, output }: LettersFlags): Promise<number> {
  const open = await openerOf(keyFile);
  const text = (await terminal.readInput(lettersBytesMax)).toString('utf8');
  const letters = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const writer = listWriter(view, output, terminal);
  for (const [index, line] of letters.entries()) {
    const letter = await open(line);
    if (letter === null) throw new CommandFailure(`line ${index + 1}: no dead letter that this key opens`);
    await writer.write([shown(letter)]);
  }
  await writer.end();
  if (letters.length === 0) terminal.report('loyaltyd: no letters on standard input');
  return letters.length === 0 ? exitNothingMatched : exitOk;
}
