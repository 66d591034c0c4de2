import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Which projects of jest.config.js a run without a path holds, by the word of its script in package.json. */
const layers = {
  fast: ['unit'],
  promise: ['unit', 'int', 'story'],
  all: ['unit', 'int', 'story', 'e2e', 'sim'],
  containers: ['int'],
};

/** Options of jest whose value is a word of its own: it names no path. */
const takesWord = ['-t', '--testNamePattern', '-w', '--maxWorkers', '-c', '--config', '--outputFile', '--shard'];

const [layer, ...words] = process.argv.slice(2);
/** Who names a file or folder wants its tests, whatever they cost. */
const namesPath = words.some((word, index) => !word.startsWith('-') && !takesWord.includes(words[index - 1]));
const projects = namesPath ? layers.all : layers[layer];

/** A run of `npm test` has 320 MiB there at its peak, for databases and topics come and go. */
const memoryMinBytes = 2 * 1024 ** 3;
const memoryFolder = '/dev/shm';
const prefix = 'loyaltyd-tests-';

/** Programs are copied there, too: a folder from which nothing may be run is no use. */
const mayRunPrograms = () =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[1] === memoryFolder && !line.split(' ')[3].split(',').includes('noexec'));

/**
 * Databases and topics are made by the hundred and live for a second: in memory, where a machine has it, the whole run takes
 * two thirds of the time that it takes on a disk.
 */
const placeOfFiles = () => {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    const isLarge = Math.min(bavail * bsize, process.availableMemory()) >= memoryMinBytes;
    return isLarge && mayRunPrograms() ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
};

const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** A run that was killed leaves its folder behind. */
const removeStaleFolders = (place) => {
  for (const name of readdirSync(place)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0;
    if (pid > 0 && !isAlive(pid)) rmSync(join(place, name), { recursive: true, force: true });
  }
};

const place = placeOfFiles();
removeStaleFolders(place);
const folder = mkdtempSync(join(place, `${prefix}${process.pid}-`));
// As every place for temporary files: Postgres runs as another user where the run itself is root's.
chmodSync(folder, 0o1777);
// An interrupt goes to jest as well: wait for its end, and remove the folder.
process.on('SIGINT', () => undefined);

/** Postgres and Kafka in containers, or not at all: the run is to show that they do. */
const surroundings = layer === 'containers' ? { REQUIRE_CONTAINERS: '1' } : {};

const jest = [resolve(import.meta.dirname, '../node_modules/jest/bin/jest.js'), '--config', '.config/jest.config.js'];
try {
  const { status, signal } = spawnSync(
    process.execPath,
    [...jest, '--selectProjects', ...projects, '--passWithNoTests=false', ...words],
    {
      stdio: 'inherit',
      cwd: resolve(import.meta.dirname, '..'),
      env: { ...process.env, ...surroundings, TMPDIR: folder },
    },
  );
  process.exitCode = signal === null ? status : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
