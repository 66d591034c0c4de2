import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';

/**
 * Strangers at a daemon's port, until this process is told to end: `flood-process PORT COUNT WAY`. Each of COUNT connections asks
 * without a token for what is largest, a packet full of requests at a time, and reads the answers (`reads`) or never (`deaf`).
 */
const [port = '', count = '', way = ''] = process.argv.slice(2);

const paths = ['/api/openapi.json', '/api/v1/contracts', '/metrics', '/health/ready'] as const;
const requestsPerPacket = 1_400;
const packet = Array.from(
  { length: requestsPerPacket },
  (_, index) => `GET ${paths[index % paths.length] ?? ''} HTTP/1.1\r\nHost: x\r\n\r\n`,
).join('');
const againMs = 100;
/** They do not all begin in the same millisecond. */
const beginMs = 1;
const seen = { bytes: 0, lost: 0 };

/** As fast as it is taken. */
function pour(socket: Socket): void {
  while (socket.writable && socket.write(packet));
  socket.once('drain', () => {
    pour(socket);
  });
}

function attack(): void {
  const socket = connect(Number(port), '127.0.0.1', () => {
    pour(socket);
  });
  if (way === 'deaf') socket.pause();
  else socket.on('data', ({ length }) => (seen.bytes += length));
  socket.on('error', () => undefined);
  socket.once('close', () => {
    seen.lost += 1;
    setTimeout(attack, againMs);
  });
}

// Strangers have machines of their own: theirs is not to take the daemon's processor.
setPriority(constants.priority.PRIORITY_LOW);
for (let each = 0; each < Number(count); each += 1) setTimeout(attack, each * beginMs);
process.on('message', () => process.send?.(seen, () => undefined));
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
