import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { freeLoopbackPorts } from '#embedded';

import { hasContainerEngine } from '../infrastructure/container-engine.js';
import type { IssuedCertificate, TestAuthority } from '../network/test-authority.js';
import { createTestAuthority } from '../network/test-authority.js';
import { localKafka, startKafka } from './local-kafka.js';

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
const setScramPassword = async (
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

/** The listeners of a secured broker, each at `localhost` with a port of its own. */
interface SecuredListeners {
  /** SASL_SSL: user `loyaltyd` by PLAIN (password `plain-secret`) and SCRAM-SHA-512; whoever an unsecured JWS names, by OAUTHBEARER. */
  readonly login: string;
  /** SSL that wants a certificate of the authority from its clients. */
  readonly mutual: string;
  /** SSL with a certificate for another host, and with one that has expired. */
  readonly elsewhere: string;
  readonly expired: string;
  /** No TLS. */
  readonly plain: string;
}

export interface SecuredKafka {
  readonly listeners: SecuredListeners;
  /** Signed all certificates. */
  readonly authority: TestAuthority;
  /** Sets what `loyaltyd` logs in with by SCRAM-SHA-512. */
  setPassword(password: string): Promise<void>;
  stop(): Promise<void>;
}

export const plainPassword = 'plain-secret';

const tlsNames = ['LOGIN', 'MUTUAL', 'ELSEWHERE', 'EXPIRED'] as const;
const plainLogin = 'org.apache.kafka.common.security.plain.PlainLoginModule';
const scramLogin = 'org.apache.kafka.common.security.scram.ScramLoginModule';

const bearerLogin = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule';

const certificatesOf = (authority: TestAuthority): Readonly<Record<(typeof tlsNames)[number], IssuedCertificate>> => {
  const good = authority.issue({ hosts: ['localhost', '127.0.0.1'] });
  const elsewhere = authority.issue({ hosts: ['kafka.example.org'] });
  const expired = authority.issue({ hosts: ['localhost'], isExpired: true });
  return { LOGIN: good, MUTUAL: good, ELSEWHERE: elsewhere, EXPIRED: expired };
};

/** Why no secured broker can be had here; null where it can. Throws where one must be. */
export const securedKafkaMissing = async (): Promise<string | null> => {
  try {
    await localKafka();
    return null;
  } catch (error) {
    const reason = `no Kafka of our own: ${(error as Error).message}`;
    if (process.env['REQUIRE_REAL_KAFKA'] === '1' && !(await hasContainerEngine())) {
      throw new Error(reason, { cause: error });
    }
    return reason;
  }
};

/** Starts Apache Kafka with TLS, logins and certificates of an authority of its own. */
export const startSecuredKafka = async (): Promise<SecuredKafka> => {
  const { jars } = await localKafka();
  const authority = createTestAuthority('loyaltyd kafka tests');
  const certificates = certificatesOf(authority);
  let tlsPorts: readonly number[] = [];
  const { brokers, stop } = await startKafka(jars, async (folder, { port, controllerPort }) => {
    tlsPorts = await freeLoopbackPorts(tlsNames.length); // chosen anew when a start found a port taken
    const trust = join(folder, 'authority.pem');
    await writeFile(trust, authority.certificate);
    for (const name of tlsNames) {
      const { cert, key } = certificates[name];
      await writeFile(join(folder, `${name}.pem`), key + cert);
    }
    const own = tlsNames.map((name, index) => `${name}://127.0.0.1:${tlsPorts[index]}`);
    const told = tlsNames.map((name, index) => `${name}://localhost:${tlsPorts[index]}`);
    const protocols = tlsNames.map((name) => `${name}:${name === 'LOGIN' ? 'SASL_SSL' : 'SSL'}`);
    return [
      `listeners=${[`PLAINTEXT://127.0.0.1:${port}`, `CONTROLLER://127.0.0.1:${controllerPort}`, ...own].join(',')}`,
      `advertised.listeners=${[`PLAINTEXT://127.0.0.1:${port}`, ...told].join(',')}`,
      `listener.security.protocol.map=${['CONTROLLER:PLAINTEXT', 'PLAINTEXT:PLAINTEXT', ...protocols].join(',')}`,
      'inter.broker.listener.name=PLAINTEXT',
      ...tlsNames.flatMap((name) => [
        `listener.name.${name.toLowerCase()}.ssl.keystore.type=PEM`,
        `listener.name.${name.toLowerCase()}.ssl.keystore.location=${join(folder, `${name}.pem`)}`,
      ]),
      'listener.name.mutual.ssl.client.auth=required',
      'listener.name.mutual.ssl.truststore.type=PEM',
      `listener.name.mutual.ssl.truststore.location=${trust}`,
      'listener.name.login.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512,OAUTHBEARER',
      `listener.name.login.plain.sasl.jaas.config=${plainLogin} required user_loyaltyd="${plainPassword}";`,
      `listener.name.login.oauthbearer.sasl.jaas.config=${bearerLogin} required unsecuredLoginStringClaim_sub="broker";`,
      `listener.name.login.scram-sha-512.sasl.jaas.config=${scramLogin} required;`,
    ];
  });
  const [login, mutual, elsewhere, expired] = tlsPorts.map((port) => `localhost:${port}`) as [
    string,
    string,
    string,
    string,
  ];
  return {
    listeners: { login, mutual, elsewhere, expired, plain: brokers },
    authority,
    setPassword: (password) => setScramPassword(brokers, { user: 'loyaltyd', password }),
    stop,
  };
};
