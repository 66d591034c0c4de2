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
