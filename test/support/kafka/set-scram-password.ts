import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

const alterUserScramCredentials = 51;
const scramSha512 = 2;
const iterations = 4_096;
const keyBytes = 64;
const timeoutMs = 10_000;

const int8 = (value: number): Buffer => Buffer.from([value]);
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
/** Lengths of what is compact are one more than they say, in seven bits each; ours fit into one byte. */
const compact = (content: Uint8Array): Buffer => Buffer.concat([int8(content.length + 1), content]);
const noTags = int8(0);
const nothing = int8(1);
const one = int8(2);

/** AlterUserScramCredentials v0 of Kafka's protocol, which KafkaJS does not know: one upsertion. */
const requestOf = (user: string, password: string): Buffer => {
  const salt = randomBytes(24);
  const salted = pbkdf2Sync(password, salt, iterations, keyBytes, 'sha512');
  const upsertion = [compact(Buffer.from(user)), int8(scramSha512), int32(iterations), compact(salt), compact(salted)];
  const clientId = Buffer.from('tests');
  const header = [int16(alterUserScramCredentials), int16(0), int32(1), int16(clientId.length), clientId, noTags];
  const message = Buffer.concat([...header, nothing, one, ...upsertion, noTags, noTags]);
  return Buffer.concat([int32(message.length), message]);
};

/** The error code of the one result: size, correlation id, tags, throttle time, count, length of the name, name, code. */
const errorCodeOf = (answer: Buffer): number => answer.readInt16BE(14 + (answer.readUInt8(14) - 1) + 1);

/** Sets the password of a user for SCRAM-SHA-512, over a listener without TLS. */
export const setScramPassword = async (
  broker: string,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<void> => {
  const [host = '', port] = broker.split(':');
  const socket = connect({ host, port: Number(port) });
  try {
    socket.write(requestOf(user, password));
    const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(timeoutMs) })) as [Buffer];
    const code = errorCodeOf(answer);
    if (code !== 0) throw new Error(`the broker refused to set the password of ${user} (${code})`);
  } finally {
    socket.destroy();
  }
};
