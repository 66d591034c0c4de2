import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

import { loopbackCertificate } from '../../support/network/test-authority.js';
import { machineMs } from '../child.js';
import { StubAnswers } from './stub-answers.js';

/**
 * The partner: HTTP/1.1 read by hand, for `node:http` would cost as much as the clients that are measured.
 * Understands what our clients send: a head, `content-length`, a body.
 */
const [notesArrivals, answerMs] = [process.argv[2] === 'true', Number(process.argv[3])];
const isSecured = process.argv[4] === 'true';
const answers = new StubAnswers(notesArrivals ? machineMs : null);
const underWay = { now: 0, most: 0 };
const headEnd = '\r\n\r\n';
const lengthPattern = /\r\ncontent-length: (\d+)/i;

/** Takes one complete request off the front of `text`; null when more must arrive first. */
const takeRequest = (text: string): { readonly line: string; readonly body: string; readonly rest: string } | null => {
  const end = text.indexOf(headEnd);
  if (end === -1) return null;
  const head = text.slice(0, end);
  const bodyAt = end + headEnd.length;
  const bodyEnd = bodyAt + Number(lengthPattern.exec(head)?.[1] ?? 0);
  if (text.length < bodyEnd) return null;
  return { line: head.slice(0, head.indexOf('\r\n')), body: text.slice(bodyAt, bodyEnd), rest: text.slice(bodyEnd) };
};

/** In their order: all take as long. */
const after = (send: () => void): void => {
  if (answerMs === 0) {
    send();
    return;
  }
  underWay.now += 1;
  underWay.most = Math.max(underWay.most, underWay.now);
  setTimeout(() => {
    underWay.now -= 1;
    send();
  }, answerMs);
};

const serve = (socket: Socket): void => {
  let text = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (let request = takeRequest(text); request !== null; request = takeRequest(text)) {
      text = request.rest;
      const json = answers.answer(request.line, request.body);
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n`;
      after(() => socket.write(`${head}${json}`));
    }
  });
};

const server = isSecured ? createTlsServer(loopbackCertificate, serve) : createServer(serve);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const questions: Readonly<Record<string, () => unknown>> = {
  reset: () => answers.reset(),
  counts: () => answers.counts(),
  arrivals: () => answers.takeArrivals(),
  mostAtOnce: () => {
    const { most } = underWay;
    underWay.most = underWay.now;
    return most;
  },
  cpu: cpuSeconds,
};

process.on('message', (question: string) => process.send?.(questions[question]?.() ?? null));
// The benchmark is gone: so are we.
process.once('disconnect', () => process.exit(0));
