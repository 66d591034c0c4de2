import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const socketPaths = (): string[] => [
  '/var/run/docker.sock',
  join(homedir(), '.docker', 'run', 'docker.sock'),
  ...(process.env['XDG_RUNTIME_DIR'] === undefined ? [] : [join(process.env['XDG_RUNTIME_DIR'], 'docker.sock')]),
];

const mayExist = (): boolean =>
  process.env['DOCKER_HOST'] !== undefined ||
  existsSync(join(homedir(), '.testcontainers.properties')) ||
  socketPaths().some((path) => existsSync(path));

const ask = async (): Promise<boolean> => {
  if (!mayExist()) return false;
  try {
    const { getContainerRuntimeClient } = await import('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
};

let answer: Promise<boolean> | undefined;

/** Whether a Docker engine answers; asked once. */
export const hasContainerEngine = (): Promise<boolean> => (answer ??= ask());

/**
 * A part in a container, where a Docker engine answers; null where none does, and where one answers that cannot give the
 * image, as without a way to a registry: said once on standard error. `REQUIRE_CONTAINERS=1` makes both an error.
 */
export const inContainer = async <Part>(image: string, start: () => Promise<Part>): Promise<Part | null> => {
  const isRequired = process.env['REQUIRE_CONTAINERS'] === '1';
  if (!(await hasContainerEngine())) {
    if (isRequired) throw new Error('REQUIRE_CONTAINERS=1, but no Docker engine answers');
    return null;
  }
  try {
    return await start();
  } catch (error) {
    if (isRequired) throw error;
    const [why = ''] = String(error).split('\n');
    process.stderr.write(`A Docker engine answers, but ${image} does not start in it; tests do without: ${why}\n`);
    return null;
  }
};
