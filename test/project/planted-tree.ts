import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

const outputBytesMax = 64 * 1024 * 1024;

/** A throw-away checkout: the project's own settings and packages around files that a test makes up. */
export interface PlantedTree {
  readonly root: string;
  /** Writes the files, given by path from the root. */
  plant(files: Readonly<Record<string, string>>): Promise<void>;
  /** Runs a program, given by path from the root, in the tree; its exit code is data, not an error. */
  run(script: string, args: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  remove(): Promise<void>;
}

const settings = [
  'package.json',
  'tsconfig.json',
  '.config',
  '.prettierrc.json',
  '.prettierignore',
  'apps/cli/bin',
  '.swcrc',
];

export async function plantTree(): Promise<PlantedTree> {
  const root = await mkdtemp(join(tmpdir(), 'loyaltyd-house-'));
  await Promise.all(settings.map((name) => cp(join(projectRoot, name), join(root, name), { recursive: true })));
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    plant: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
    },
    run: async (script, args) => runNode(root, [join(root, script), ...args]),
    remove: async () => rm(root, { recursive: true, force: true }),
  };
}

async function runNode(
  cwd: string,
  args: readonly string[],
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  return new Promise((settle, fail) => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    execFile(process.execPath, args, { cwd, env, maxBuffer: outputBytesMax }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : error.code;
      if (typeof exitCode === 'number') settle({ exitCode, stdout, stderr });
      else fail(new Error('The program did not run to its end.', { cause: error }));
    });
  });
}
