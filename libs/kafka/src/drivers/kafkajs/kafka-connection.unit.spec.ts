import kafkajs from 'kafkajs';
import type { logLevel } from 'kafkajs';
import type { LogFields } from '#platform';
import { kafkaErrorFields, kafkaJsConfig, kafkaLogCreator } from './kafka-connection.js';

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

  it('has its token read again each time', async () => {
    let turn = 0;
    const sasl = {
      mechanism: 'oauthbearer',
      get token() {
        return `token ${turn}`;
      },
    } as const;
    const config = kafkaJsConfig({ brokers: ['kafka:9092'], sasl });
    turn = 1;
    const { oauthBearerProvider } = config.sasl as Extract<typeof config.sasl, { readonly mechanism: 'oauthbearer' }>;
    expect(await oauthBearerProvider()).toEqual({ value: 'token 1' });
  });
});
