import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startEmbeddedBroker, type EmbeddedBroker } from './embedded-broker.js';

const connectTo = async ({ brokers }: EmbeddedBroker): Promise<Socket> => {
  const [host, port] = brokers.split(':');
  const socket = connect({ host: host ?? '', port: Number(port) });
  await once(socket, 'connect');
  return socket;
};

// ApiVersions, version 3, which is newer than what we speak: key, version, correlation id, client id.
const askVersions = Buffer.from('0000000a' + '0012' + '0003' + '00000007' + 'ffff', 'hex');

describe('the embedded broker', () => {
  let broker: EmbeddedBroker;

  beforeEach(async () => {
    broker = await startEmbeddedBroker();
  });

  afterEach(() => broker.stop());

  it('tells a newer client which versions to ask for', async () => {
    const socket = await connectTo(broker);
    socket.write(askVersions);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();

    expect(answer.readInt32BE(4)).toBe(7); // correlation id
    expect(answer.readInt16BE(8)).toBe(35); // unsupported version
    expect(answer.readInt32BE(10)).toBeGreaterThan(10); // and the list all the same
  });

  it.each([
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a request cut short', Buffer.from('00000008' + '0003' + '0001' + '00000001', 'hex')],
    ['an unknown request', Buffer.from('0000000a' + '03e7' + '0000' + '00000001' + 'ffff', 'hex')],
  ])('ends a connection that sends %s, and goes on', async (_what, bytes) => {
    const stranger = await connectTo(broker);
    stranger.resume();
    stranger.write(bytes);
    await once(stranger, 'close');

    const client = await connectTo(broker);
    client.write(askVersions);
    await once(client, 'data');
    client.destroy();
  });

  it('disconnects everybody and frees its port at its end', async () => {
    const socket = await connectTo(broker);
    socket.resume();
    const closed = once(socket, 'close');
    await broker.stop();
    await closed;
    await expect(connectTo(broker)).rejects.toThrow('ECONNREFUSED');
  });
});
