import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

import pg from 'pg';

import { waitUntil } from '#embedded';
import type { RunningProcess, TestBroker, TestDatabase } from '#test-support';
import { kafkaClient, OtlpReceiver, programCommand, queryOnce, watchOver } from '#test-support';

import { apiTokens } from '../api-client.js';
import type { Harness } from '../harness.js';
import { openHarness, programsFile } from '../harness.js';
import type { StandInPartner } from '../stand-in-partner.js';
import { openPlantedPartner } from './planted-partner.js';
import type { Shown } from './planted-values.js';
import { personal, secrets } from './planted-values.js';

/** A user of the database whose password is one of the planted secrets. */
interface PlantedUser {
  readonly url: string;
  drop(): Promise<void>;
}

/** Quotes what it refuses, as constraints do: a member's row, and twice an outcome together with a person's values. */
const quotingTriggers = `
CREATE SEQUENCE quoted;
GRANT ALL ON SEQUENCE quoted TO PUBLIC;
CREATE FUNCTION quote_member() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.member_id NOT LIKE '%-database' THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'cannot take %', NEW.member_id USING ERRCODE = '23514', DETAIL = 'Failing row: ' || NEW::text;
END $$;
CREATE FUNCTION quote_outcome() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.type <> 'AttemptRejected' OR nextval('quoted') > 2 THEN RETURN NEW; END IF;
  RAISE EXCEPTION '${personal.firstName} ${personal.email}' USING ERRCODE = '22000',
    DETAIL = 'Key (email)=(${personal.email}) in ' || NEW::text, HINT = '${personal.phone}';
END $$;
CREATE TRIGGER quote_member BEFORE INSERT ON member FOR EACH ROW EXECUTE FUNCTION quote_member();
CREATE TRIGGER quote_outcome BEFORE INSERT ON intent_event FOR EACH ROW EXECUTE FUNCTION quote_outcome();`;

/** Makes the database quote, and a user with a planted password. */
async function plantInDatabase({ url, ownerUrl, adminUrl }: TestDatabase): Promise<PlantedUser> {
  const run = pg.escapeIdentifier(new URL(url).username);
  const name = pg.escapeIdentifier(`planted_${randomBytes(4).toString('hex')}`);
  const password = pg.escapeLiteral(secrets.databasePassword);
  await queryOnce(ownerUrl, quotingTriggers);
  await queryOnce(adminUrl, `CREATE ROLE ${name} LOGIN PASSWORD ${password} IN ROLE ${run}`);
  const planted = new URL(url);
  planted.username = name.replaceAll('"', '');
  planted.password = secrets.databasePassword;
  const drop = async (): Promise<void> => {
    // Daemons make partitions ahead: theirs are the database's, which goes as a whole.
    await queryOnce(adminUrl, `REASSIGN OWNED BY ${name} TO CURRENT_USER; DROP OWNED BY ${name}; DROP ROLE ${name}`);
  };
  return { url: planted.href, drop };
}

/** Every row of every table as text; bytes show as hex. */
export async function showTables(url: string): Promise<Shown[]> {
  const tables = await queryOnce<{ name: string }>(
    url,
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  );
  const shown: Shown[] = [];
  for (const { name } of tables) {
    const rows = await queryOnce<{ row: string }>(url, `SELECT t::text AS row FROM ${pg.escapeIdentifier(name)} t`);
    if (rows.length > 0) shown.push({ where: `table ${name}`, text: rows.map(({ row }) => row).join('\n') });
  }
  return shown;
}

const programs = programsFile
  .replace('    templateId: 11\n', '    templateId: 11\n    personAttributes: { birthday: person.birthDate }\n')
  .replace('inFlightMs: 2000', 'inFlightMs: 300');

const briefMsMax = 30_000;

/** Text of a topic's records: keys and values, or some of their headers. */
type RecordText = (record: {
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, unknown>>;
}) => string;

/** Every record of a topic as text. */
export async function readTopic(broker: TestBroker, topic: string, textOf: RecordText): Promise<string> {
  const kafka = kafkaClient(broker);
  const consumer = kafka.consumer({ groupId: `${topic}.planted`, maxWaitTimeInMs: 100 });
  const admin = kafka.admin();
  const texts: string[] = [];
  await Promise.all([consumer.connect(), admin.connect()]);
  try {
    const ends = await admin.fetchTopicOffsets(topic);
    const count = ends.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void texts.push(textOf(message)) });
    await waitUntil(() => texts.length >= count || undefined, { what: topic, timeoutMs: briefMsMax });
    return texts.join('\n');
  } finally {
    await Promise.all([consumer.disconnect(), admin.disconnect()]);
  }
}

/** A whole installation whose secrets are planted, its roles apart, everything told that can be told. */
export class PlantedHarness {
  private readonly brief: Shown[] = [];

  private constructor(
    private readonly parts: {
      readonly harness: Harness;
      readonly partner: StandInPartner;
      readonly receiver: OtlpReceiver;
      readonly user: PlantedUser;
      readonly environment: Readonly<Record<string, string>>;
    },
    readonly daemons: Readonly<Record<'ingest' | 'delivery' | 'operations', RunningProcess>>,
  ) {}

  get harness(): Harness {
    return this.parts.harness;
  }

  get receiver(): OtlpReceiver {
    return this.parts.receiver;
  }

  static async open(): Promise<PlantedHarness> {
    const [harness, partner, receiver] = await Promise.all([
      openHarness(programs),
      openPlantedPartner(),
      OtlpReceiver.open(),
    ]);
    const user = await plantInDatabase(harness.database);
    const env = {
      ...partner.environment,
      LOG_LEVEL: 'trace',
      // With the detail of each.
      DEAD_LETTER_VALUE: 'original',
      DATABASE_URL: user.url,
      WALLET_CLIENT_ID: secrets.clientId,
      WALLET_CLIENT_SECRET: secrets.clientSecret,
      WALLET_TIMEOUT_MS: '500',
      WALLET_HEADERS: `x-subscription-key=${secrets.partnerHeader}`,
      LOYALTYD_ENCRYPTION_KEY: secrets.encryptionKey,
      OPS_TOKENS: apiTokens,
      HTTPS_PROXY: `http://proxy:${secrets.proxyPassword}@127.0.0.1:9`,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${secrets.otlpKey}`,
    };
    const start = (role: string): Promise<RunningProcess> => harness.startDaemon({ ...env, LOYALTYD_ROLES: role });
    const [operations, ingest, delivery] = await Promise.all([start('operations'), start('ingest'), start('delivery')]);
    const daemons = { operations, ingest, delivery };
    // One more, which the broker does not let in.
    const sasl = { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: secrets.saslPassword };
    const barred = await harness.startDaemon({ ...env, ...sasl, LOYALTYD_ROLES: 'ingest' });
    await waitUntil(() => /kafka/i.test(barred.stderr()) || undefined, { what: 'a refusal', timeoutMs: briefMsMax });
    return new PlantedHarness({ harness, partner, receiver, user, environment: env }, daemons);
  }

  /** Runs a daemon until it says something, mostly what is wrong with it. */
  async runBriefly(env: Readonly<Record<string, string>>, saying: RegExp): Promise<void> {
    const { command, args, cwd } = programCommand('apps/daemon/src/main.ts');
    const whole = { PATH: process.env['PATH'], ...this.harness.environment, ...this.parts.environment, ...env };
    await this.show(spawn(command, args, { cwd, env: whole, stdio: ['ignore', 'pipe', 'pipe'] }), saying);
  }

  /** Runs any program until it says something, and keeps what it said. */
  async show(child: ReturnType<typeof spawn>, saying: RegExp): Promise<void> {
    let text = '';
    watchOver(child);
    const listen = (chunk: unknown): void => void (text += String(chunk));
    child.stdout?.setEncoding('utf8').on('data', listen);
    child.stderr?.setEncoding('utf8').on('data', listen);
    const closed = new Promise((resolve) => child.once('close', resolve));
    try {
      await waitUntil(() => saying.test(text) || undefined, { what: String(saying), timeoutMs: briefMsMax });
    } finally {
      child.kill('SIGKILL');
      await closed;
      this.brief.push({ where: `output ${this.brief.length}`, text });
    }
  }

  /** Everything that processes said, counted and traced. */
  async showTelemetry(): Promise<Shown[]> {
    const metrics = Object.entries(this.daemons).map(async ([role, { ready }]) => {
      const response = await fetch(`${String(ready['operations'])}/metrics`);
      return { where: `metrics of ${role}`, text: await response.text() };
    });
    const logs = { where: 'logs', text: this.harness.output() };
    return [...(await Promise.all(metrics)), logs, ...this.brief, { where: 'spans', text: this.receiver.text }];
  }

  showTables(): Promise<Shown[]> {
    return showTables(this.harness.database.ownerUrl);
  }

  /** What the topics that others read show: the outcomes, the audit, and what dead letters say of their own. */
  async showTopics(): Promise<Shown[]> {
    const { broker, topics } = this.harness;
    const { outcomes, audit, deadLetter } = topics;
    return [
      { where: 'outcomes', text: await readTopic(broker, outcomes, ({ value }) => String(value)) },
      { where: 'audit', text: await readTopic(broker, audit, ({ value }) => String(value)) },
      {
        where: 'dead letters',
        text: await readTopic(broker, deadLetter, ({ headers }) =>
          ['x-reason', 'x-detail', 'x-original-topic'].map((name) => String(headers?.[name])).join(' '),
        ),
      },
    ];
  }

  async close(): Promise<void> {
    await this.harness.closeDaemons();
    await this.parts.user.drop();
    const { harness, partner, receiver } = this.parts;
    await Promise.all([harness.close(), partner.close(), receiver.close()]);
  }
}
