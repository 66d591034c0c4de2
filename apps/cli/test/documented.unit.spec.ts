import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

import { fakeTerminal } from '../src/client/testing/fake-api.js';
import { buildProgram } from '../src/command-line/program.js';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const shellBlocks = (text: string): string[] =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code ?? '');
const page = readFileSync(`${docs}cli.md`, 'utf8');
const blocks = shellBlocks(page);
const runbooks = readdirSync(`${docs}runbooks`).map((file) => readFileSync(`${docs}runbooks/${file}`, 'utf8'));
const inRunbooks = runbooks
  .flatMap(shellBlocks)
  .flatMap((text) => [...text.matchAll(/^loyaltyd (.+)$/gm)].map(([, words]) => words ?? ''));
const examples = blocks.flatMap((text) => [...text.matchAll(/\bloyaltyd ([^|)\n]+)/g)].map(([, words]) => words ?? ''));

/** Run where the daemon runs; docs/operations/ has them. */
const elsewhere = [
  'start',
  'dev',
  'migrate',
  'rebuild',
  'rotate-keys',
  'make-key',
  'rewrap-keys',
  'maintain',
  'accept-gap',
  'accept-programs',
  'own',
  'disown',
  'shard',
  'lint',
  'trigger',
];

function program(): Command {
  return buildProgram({ terminal: fakeTerminal(), finish: () => undefined });
}

function pathsBelow(command: Command, path = ''): string[] {
  return command.commands.flatMap((child) => {
    const at = `${path} ${child.name()}`.trim();
    return child.commands.length === 0 ? [at] : [...pathsBelow(child, at)];
  });
}

/** The words of an example, as a shell would split them. */
function wordsOf(example: string): string[] {
  return [...example.matchAll(/"[^"]*"|'[^']*'|\S+/g)].map(([word]) => word.replace(/^["']|["']$/g, ''));
}

/** The command that an example means, and the words after it. */
function commandOf(example: string): { readonly command: Command; readonly rest: readonly string[] } {
  let command = program();
  const rest = wordsOf(example);
  for (;;) {
    const next = command.commands.find((child) => child.name() === rest[0]);
    if (next === undefined) return { command, rest };
    [command] = [next, rest.shift()];
  }
}

describe('docs/cli.md and the runbooks', () => {
  it('names every command', () => {
    const paths = pathsBelow(program()).filter((path) => !elsewhere.includes(path));
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !page.includes(path))).toEqual([]);
  });

  it('has many examples', () => {
    expect(examples.length).toBeGreaterThan(40);
    expect(inRunbooks.length).toBeGreaterThan(20);
  });

  it.each([...examples, ...new Set(inRunbooks)])('shows a command that is there: %s', (example) => {
    const { command, rest } = commandOf(example);
    expect(command.parent).not.toBeNull();
    const flags = rest.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=', 1)[0]);
    const known = command.options.flatMap(({ short, long }) => [short, long]);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
    const required = command.options.filter(({ mandatory }) => mandatory).map(({ long }) => long);
    const isGiven = (long: string | undefined): boolean =>
      flags.some(
        (flag) =>
          known.includes(flag) &&
          (flag === long || command.options.some((option) => option.long === long && option.short === flag)),
      );
    expect(required.filter((long) => !isGiven(long))).toEqual([]);
  });
});
