import { connect } from 'node:net';

const metadataKey = 3;
const metadataVersion = 1;
const answerTimeoutMs = 5_000;

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value, 'utf8');
  const length = Buffer.alloc(2);
  length.writeInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** A Metadata request, version 1 (Kafka protocol guide): size, key, version, correlation id, client id, [topics]. */
const metadataRequest = (topics: readonly string[]): Buffer => {
  const header = Buffer.alloc(8);
  header.writeInt16BE(metadataKey, 0);
  header.writeInt16BE(metadataVersion, 2);
  header.writeInt32BE(1, 4);
  const count = Buffer.alloc(4);
  count.writeInt32BE(topics.length);
  const body = Buffer.concat([header, text('loyaltyd'), count, ...topics.map(text)]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  return Buffer.concat([size, body]);
};

/**
 * Asks a broker for topics once and waits for its answer. A broker that creates topics on first use has them
 * afterwards. Rejects when there is no answer within 5 s.
 */
export const touchTopics = (brokers: string, topics: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const [host, port] = brokers.split(':');
    const socket = connect({ host: host ?? '', port: Number(port) }, () => socket.write(metadataRequest(topics)));
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error(`no answer from the broker at ${brokers}`)));
    socket.once('data', () => socket.end());
    socket.once('error', reject);
    socket.once('close', (hadError) => {
      if (!hadError) resolve();
    });
  });
