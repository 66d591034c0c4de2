import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import kafkajs from 'kafkajs';

import { createLogger } from '#platform';
import type { TestBroker } from '#test-support';
import { testBroker } from '#test-support';

import type { KafkaConnection } from './kafka-connection.js';
import { kafkaTrouble } from './kafka-trouble.js';
import { tryBroker } from './inspect-kafka.js';

const logger = createLogger({ level: 'silent', service: 'inspection-spec' });

describe('tryBroker', () => {
  let broker: TestBroker;
  let server: Server;
  const sockets = new Set<Socket>();
  let onSocket: (socket: Socket) => void = () => undefined;

  beforeAll(async () => {
    broker = await testBroker();
    server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const fake = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const troubleAt = async (address: string, more: Partial<KafkaConnection> = {}): Promise<string | null> => {
    const found = await tryBroker({ ...more, brokers: [address] }, logger);
    return found === null ? null : found.kind;
  };

  it('reaches a broker', async () => {
    expect(await troubleAt(broker.brokers)).toBeNull();
  });

  it('tells what is not there from what hangs up and from what is no TLS', async () => {
    expect(await troubleAt('127.0.0.1:1')).toBe('unreachable');
    expect(await troubleAt('nowhere.invalid:9092')).toBe('unreachable');
    onSocket = (socket) => socket.once('data', () => socket.end());
    expect(await troubleAt(fake())).toBe('closed');
    onSocket = (socket) => socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await troubleAt(fake(), { ssl: true })).toBe('tls');
  });
});

describe('kafkaTrouble', () => {
  const protocolError = (type: string): Error =>
    new kafkajs.KafkaJSProtocolError(Object.assign(new Error('x'), { type, code: 0, retriable: false }));

  it.each([
    ['SASL_AUTHENTICATION_FAILED', 'authentication'],
    ['TOPIC_AUTHORIZATION_FAILED', 'not-allowed'],
    ['GROUP_COORDINATOR_NOT_AVAILABLE', 'no-coordinator'],
    ['LEADER_NOT_AVAILABLE', 'no-leader'],
    ['INVALID_REQUEST', 'other'],
  ])('%s is %s, however deep it lies', (type, kind) => {
    const wrapped = new Error('outside', { cause: protocolError(type) });
    expect(kafkaTrouble(wrapped)).toEqual({ kind, code: type, broker: null });
  });

  it('knows a refused login, a silent broker and what is no error', () => {
    const login = Object.create(kafkajs.KafkaJSSASLAuthenticationError.prototype) as Error;
    expect(kafkaTrouble(login).kind).toBe('authentication');
    expect(kafkaTrouble(new kafkajs.KafkaJSRequestTimeoutError('late')).kind).toBe('timeout');
    expect(kafkaTrouble('nonsense')).toEqual({ kind: 'other', code: 'string', broker: null });
  });
});
