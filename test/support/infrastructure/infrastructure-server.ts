import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInfrastructure, type Infrastructure } from './infrastructure.js';
import type { Parts } from './part.js';
import { infrastructureVariable } from './request-part.js';

const answer = async (socket: Socket, infrastructure: Infrastructure): Promise<void> => {
  let question = '';
  for await (const chunk of socket) question += String(chunk);
  try {
    const part = await infrastructure.request(question.trim() as keyof Parts);
    socket.end(JSON.stringify({ part }));
  } catch (error) {
    socket.end(JSON.stringify({ error: (error as Error).message }));
  }
};

/**
 * Serves the parts to all workers of one jest run over a Unix socket, whose path it leaves in the environment. Nothing
 * is started before it is asked for: a run of unit tests waits for nothing.
 */
export const serveInfrastructure = async (): Promise<{ stop(): Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'infrastructure-'));
  const path = join(folder, 'socket');
  const infrastructure = createInfrastructure();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    void answer(socket, infrastructure);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  server.unref();
  process.env[infrastructureVariable] = path;
  return {
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
      await infrastructure.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
