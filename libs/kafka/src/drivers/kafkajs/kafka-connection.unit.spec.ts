import kafkajs from 'kafkajs';
import type { AuthenticationProviderArgs, logLevel, Mechanism } from 'kafkajs';
import type { LogFields } from '#platform';
import { kafkaErrorFields, kafkaJsConfig, kafkaLogCreator } from './kafka-connection.js';
import { troubleOf } from './kafka-problem.js';

class NoToken extends Error {
  constructor(readonly code: string) {
    super('no token');
  }
}

describe('a failure of Kafka in the log', () => {
  it('is told in the words of KafkaJS', () => {
    expect(kafkaErrorFields(new kafkajs.KafkaJSConnectionError('Connection timeout'))).toEqual({
      error: 'Connection timeout',
    });
  });

  it('quotes nothing of what somebody else said', () => {
    const foreign = new SyntaxError('Unexpected token in "ada@example.org"');
    // KafkaJS keeps its cause so; its types do not say it.
    const passedOn = Object.assign(new kafkajs.KafkaJSNonRetriableError(foreign), { cause: foreign });
    const fields = [kafkaErrorFields(foreign), kafkaErrorFields(passedOn)];
    expect(fields).toMatchObject([{ error: 'SyntaxError' }, { cause: { error: 'SyntaxError' } }]);
    expect(JSON.stringify(fields)).not.toContain('ada@');
  });
});

interface Told {
  readonly level: string;
  readonly fields: LogFields;
  readonly message: string;
}

/** What becomes of one of KafkaJS' lines. */
function told(level: logLevel, log: { readonly message: string } & Record<string, unknown>): Told | undefined {
  const lines: Told[] = [];
  const at = (name: string) => (fields: LogFields, message: string) => {
    lines.push({ level: name, fields, message });
  };
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const write = kafkaLogCreator(logger)(kafkajs.logLevel.INFO);
  write({ namespace: 'Connection', level, label: '', log: { timestamp: '', logger: 'kafkajs', ...log } });
  return lines[0];
}

const { ERROR, WARN, INFO } = kafkajs.logLevel;

describe("KafkaJS' lines", () => {
  it('keep their level, and their namespace', () => {
    expect(told(ERROR, { message: 'Connection error', error: 'connect ECONNREFUSED' })).toEqual({
      level: 'error',
      fields: { error: 'connect ECONNREFUSED', namespace: 'Connection' },
      message: 'kafka: Connection error',
    });
    expect([told(WARN, { message: 'w' })?.level, told(INFO, { message: 'i' })?.level]).toEqual(['warn', 'info']);
  });

  it.each([
    ['Response Heartbeat(key: 12, version: 3)', 'The group is rebalancing, so a rejoin is needed'],
    ['Response OffsetCommit(key: 8, version: 5)', 'Specified group generation id is not valid'],
    ['Response SyncGroup(key: 14, version: 3)', 'The coordinator is not aware of this member'],
  ])('are no errors where they tell of a deployment: %s', (message, error) => {
    expect(told(ERROR, { message, error })?.level).toBe('debug');
  });

  it('tell an error by its name and frames, not by its message, which may quote what it choked on', () => {
    const fields = told(ERROR, { message: 'x', error: new Error('broken by Lovelace'), stack: 'at y' })?.fields;
    expect(fields).toMatchObject({ error: 'Error', namespace: 'Connection' });
    expect(JSON.stringify(fields)).not.toContain('Lovelace');
  });
});

describe('a connection in the words of KafkaJS', () => {
  it('has its certificates and its password read again each time', () => {
    let turn = 0;
    const ssl = {
      get ca() {
        return `authority ${turn}`;
      },
    };
    const sasl = {
      mechanism: 'plain',
      username: 'loyaltyd',
      get password() {
        return `password ${turn}`;
      },
    } as const;
    const config = kafkaJsConfig({ brokers: ['kafka:9092'], ssl, sasl });
    turn = 1;
    expect(config).toMatchObject({ ssl: { ca: 'authority 1' }, sasl: { mechanism: 'plain', password: 'password 1' } });
  });

  it('asks for its token at each login, and says which one was refused', async () => {
    let turn = 0;
    const refused: string[] = [];
    const sasl = {
      mechanism: 'oauthbearer',
      token: () => Promise.resolve(`token-${turn}`),
      refused: (token: string) => refused.push(token),
      extensions: { logicalCluster: 'lkc-1' },
    } as const;
    const { authenticationProvider } = kafkaJsConfig({ brokers: ['kafka:9092'], sasl }).sasl as Mechanism;
    turn = 1;
    const said: string[] = [];
    let answer: () => Promise<void> = () => Promise.resolve();
    const saslAuthenticate: AuthenticationProviderArgs['saslAuthenticate'] = async ({ request }) => {
      said.push((await request.encode()).subarray(4).toString());
      await answer();
    };
    const args = { host: 'kafka', port: 9092, saslAuthenticate, logger: {} as never };
    await authenticationProvider(args).authenticate();
    expect(said).toEqual(['n,,\u0001auth=Bearer token-1\u0001logicalCluster=lkc-1\u0001\u0001']);
    answer = () => Promise.reject(new kafkajs.KafkaJSConnectionError('the connection broke'));
    await expect(authenticationProvider(args).authenticate()).rejects.toThrow('broke');
    expect(refused).toEqual([]);
    answer = () => Promise.reject(new kafkajs.KafkaJSProtocolError(new Error('SASL_AUTHENTICATION_FAILED')));
    await expect(authenticationProvider(args).authenticate()).rejects.toThrow('SASL_AUTHENTICATION_FAILED');
    expect(refused).toEqual(['token-1']);
  });

  it('waits for a token that is not to be had now as for a broker that is away', async () => {
    const sasl = { mechanism: 'oauthbearer', token: () => Promise.reject(new NoToken('http-503')) } as const;
    const { authenticationProvider } = kafkaJsConfig({ brokers: ['kafka:9092'], sasl }).sasl as Mechanism;
    const args = { host: 'kafka', port: 9092, saslAuthenticate: () => Promise.resolve(), logger: {} as never };
    const error: unknown = await authenticationProvider(args)
      .authenticate()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'KafkaJSConnectionError', retriable: true });
    expect(troubleOf(error)).toEqual({ kind: 'no-token', code: 'http-503', broker: null });
  });
});
