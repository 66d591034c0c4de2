import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Which projects of jest.config.js a run without a path holds, by the word of its script in package.json. */
const layers = {
  fast: ['unit'],
  promise: ['unit', 'int', 'story'],
  all: ['unit', 'int', 'story', 'e2e', 'sim'],
};

/** Options of jest whose value is a word of its own: it names no path. */
const takesWord = ['-t', '--testNamePattern', '-w', '--maxWorkers', '-c', '--config', '--outputFile', '--shard'];

const [layer, ...words] = process.argv.slice(2);
/** Who names a file or folder wants its tests, whatever they cost. */
const namesPath = words.some((word, index) => !word.startsWith('-') && !takesWord.includes(words[index - 1]));
const projects = namesPath ? layers.all : layers[layer];

const node = ['--disable-warning=TimeoutNegativeWarning'];
const jest = [resolve(import.meta.dirname, '../node_modules/jest/bin/jest.js'), '--config', '.config/jest.config.js'];
const { status, signal } = spawnSync(
  process.execPath,
  [...node, ...jest, '--selectProjects', ...projects, '--passWithNoTests=false', ...words],
  { stdio: 'inherit', cwd: resolve(import.meta.dirname, '..') },
);
process.exitCode = signal === null ? status : 1;
