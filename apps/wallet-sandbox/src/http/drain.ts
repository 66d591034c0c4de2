import type { Server } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** After so long, connections that still wait for an answer are closed without one. */
const drainMsMax = 10_000;
/** A connection kept alive by a caller turns idle with its last answer and would hold the server open for minutes. */
const idleCheckIntervalMs = 20;

/** Takes no more connections, answers what has arrived, and resolves when the last connection is closed. */
export async function drain(application: NestFastifyApplication): Promise<void> {
  const server: Server = application.getHttpServer();
  const idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckIntervalMs);
  const impatience = setTimeout(() => server.closeAllConnections(), drainMsMax);
  try {
    await application.close();
  } finally {
    clearInterval(idleCheck);
    clearTimeout(impatience);
  }
}
