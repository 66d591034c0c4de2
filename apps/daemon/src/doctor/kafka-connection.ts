import type { KafkaEnvironment } from '#contracts';
import type { KafkaProblem, KafkaProblemKind } from '#kafka';
import { createKafkaDriver, kafkaProblem } from '#kafka';
import type { TlsProblem, TokenRenewal } from '#platform';
import { tlsProblem, SafeError } from '#platform';

import { KafkaAccess } from '../kafka/kafka-access.js';
import type { Given } from './checks.js';
import { connectMs } from './checks.js';
import type { Finding } from './finding.js';
import { durationText, failed, nameList, ok, skipped, warning } from './finding.js';

const troubleTexts: Readonly<Record<KafkaProblemKind, string>> = {
  unreachable: 'cannot be reached',
  closed: 'took the connection and hung up on it',
  tls: 'TLS was not agreed on',
  authentication: 'refused the login',
  'no-token': 'no token to log in with is to be had',
  'not-allowed': 'our user may not do this',
  'no-leader': 'a partition has no leader at the moment',
  'no-coordinator': 'the group has no coordinator at the moment',
  timeout: 'did not answer in time',
  unsupported: 'does not know this request',
  other: 'refused',
};

const troubleRemedies: Readonly<Record<KafkaProblemKind, string>> = {
  unreachable:
    'Is the broker up, and are KAFKA_BROKERS and the port right? Try `nc -vz HOST PORT` from this machine. A broker that is ' +
    'not in KAFKA_BROKERS was named by another one: then its advertised.listeners are wrong for this network.',
  closed:
    'The listener behind this port probably wants TLS (KAFKA_SSL=true) or a login (KAFKA_SASL_MECHANISM, _USERNAME, ' +
    '_PASSWORD) and is not offered any, or is offered what it does not want. Compare with the brokers’ listeners and listener.security.protocol.map.',
  tls:
    'Is KAFKA_SSL right for this port? If so: KAFKA_SSL_CA_FILE must hold the authority that signed the brokers’ ' +
    'certificates, which must be in date and name the hosts of KAFKA_BROKERS; see `openssl s_client -connect HOST:PORT`.',
  authentication:
    'Check KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD (or the file behind it) against the ' +
    'brokers’ users. Was the password rotated? With oauthbearer: do the brokers expect this issuer, audience and scope, and the ' +
    'same KAFKA_SASL_EXTENSIONS?',
  'no-token': 'See kafka.token: KAFKA_OAUTH_TOKEN_URL and what goes with it.',
  'not-allowed':
    'Give our Kafka user the rights: READ and DESCRIBE on the topics that come in, WRITE and DESCRIBE on those that go out, ' +
    'READ and DESCRIBE on the consumer group.',
  'no-leader':
    'A broker that holds the partition is down: see `kafka-topics.sh --describe --unavailable-partitions`. It goes on by itself.',
  'no-coordinator':
    'A broker has just started, or the cluster has never had a group: run it again. If it stays, look at the topic __consumer_offsets.',
  timeout: 'Are the brokers overloaded, or does a firewall swallow packets? Look at their logs.',
  unsupported: 'Kafka 3.5 or newer is needed; or this port is the controllers’, not the brokers’.',
  other: 'Look at the brokers’ logs for this time.',
};

const tlsTexts: Readonly<Partial<Record<TlsProblem, readonly [text: string, remedy: string]>>> = {
  expired: ['its certificate has expired', 'Renew the certificate of the broker (ssl.keystore.location).'],
  'not-yet-valid': ['its certificate is not valid yet', 'Are the clocks of both machines right?'],
  'wrong-host': [
    'its certificate names another host',
    'The certificate must name the host of KAFKA_BROKERS and of advertised.listeners (subjectAltName): use a name that is ' +
      'in it, or issue another one.',
  ],
  'unknown-authority': [
    'its certificate is signed by an authority that we do not know',
    'KAFKA_SSL_CA_FILE must hold the authority that signed the brokers’ certificates.',
  ],
  'without-tls': [
    'it does not speak TLS',
    'This listener is a plain one: KAFKA_SSL=false, or the port of the listener with SSL or SASL_SSL.',
  ],
  'our-certificate': [
    'it does not take our certificate',
    'The listener wants a certificate (ssl.client.auth): KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE must hold one in date that ' +
      'is signed by an authority in its truststore.',
  ],
};

function tlsTextOf({ kind, code }: KafkaProblem): readonly [text: string, remedy: string] | undefined {
  return kind === 'tls' ? tlsTexts[tlsProblem(code)] : undefined;
}

function causeOf(trouble: KafkaProblem): string {
  return tlsTextOf(trouble)?.[0] ?? troubleTexts[trouble.kind];
}

/** `kafka-1:9092: cannot be reached (ECONNREFUSED)` */
export function troubleText(trouble: KafkaProblem, asked: string | null = null): string {
  const { code, broker } = trouble;
  const named = broker !== null && broker !== asked ? `${broker}, which it names,` : null;
  const who = [asked === null ? null : `${asked}:`, named ?? (asked === null ? broker : null)];
  return [...who.filter((part) => part !== null), `${causeOf(trouble)} (${code})`].join(' ');
}

export function troubleRemedy(trouble: KafkaProblem): string {
  return tlsTextOf(trouble)?.[1] ?? troubleRemedies[trouble.kind];
}

/** Whatever Kafka refuses becomes the finding of that name. */
export async function orRefusal(name: string, work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await work();
  } catch (error) {
    // Not Kafka's: it says itself what it is.
    if (error instanceof SafeError) throw error;
    const trouble = kafkaProblem(error);
    return [failed(name, { detail: troubleText(trouble), remedy: troubleRemedy(trouble) })];
  }
}

const connectionName = 'kafka.connection';
/** Brokers of `KAFKA_BROKERS` that are tried. */
const brokersTriedMax = 10;

interface TriedBroker {
  readonly broker: string;
  readonly trouble: KafkaProblem | null;
}

function securityText({ ssl, sasl }: KafkaEnvironment): string {
  return `${ssl === null ? 'without TLS' : 'with TLS'}, ${sasl === null ? 'without a login' : `login by ${sasl.mechanism}`}`;
}

function judgeBrokers(tried: readonly TriedBroker[], kafka: KafkaEnvironment): Finding {
  const broken = tried.flatMap(({ broker, trouble }) => (trouble === null ? [] : [{ broker, trouble }]));
  const [first] = broken;
  const good = tried.filter(({ trouble }) => trouble === null).map(({ broker }) => broker);
  if (first === undefined) return ok(connectionName, `${nameList(good)} (${securityText(kafka)})`);
  const detail = nameList(broken.map(({ broker, trouble }) => troubleText(trouble, broker)));
  const trouble = { detail, remedy: troubleRemedy(first.trouble) };
  if (good.length === 0) return failed(connectionName, trouble);
  return warning(connectionName, { ...trouble, detail: `${detail}; ${nameList(good)} answered` });
}

const tokenName = 'kafka.token';

/** What to do where no token is to be had, by the reason. */
function tokenRemedy(reason: string): string {
  if (/^http-40[013]$/.test(reason)) {
    return (
      'It knows the address, but not this client, or not so: check KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET (or the files ' +
      'behind them), KAFKA_OAUTH_SCOPE, KAFKA_OAUTH_AUDIENCE, and KAFKA_OAUTH_CLIENT_AUTH: some take them as fields of the form only.'
    );
  }
  if (tlsProblem(reason) !== 'other') {
    return 'TLS was not agreed on: KAFKA_OAUTH_CA_FILE must hold the authority that signed its certificate.';
  }
  return 'Check KAFKA_OAUTH_TOKEN_URL, and that this machine reaches it. It is asked again by itself; nothing is lost meanwhile.';
}

/** What asking for a token brought. */
export function judgeKafkaToken(renewed: TokenRenewal): Finding {
  if (renewed.kind === 'none') {
    const { reason } = renewed;
    return failed(tokenName, { detail: `no token was to be had (${reason})`, remedy: tokenRemedy(reason) });
  }
  const detail = `good for ${durationText(renewed.lifetimeMs)}`;
  if (renewed.shapeAlarms.length === 0) return ok(tokenName, detail);
  const remedy = 'The answer does not say how long it lives: five minutes are assumed.';
  return warning(tokenName, { detail, remedy });
}

/** Ends before the check does, which then says what was answered. */
const tokenMsMax = connectMs / 2;

function withBriefToken(kafka: KafkaEnvironment): KafkaEnvironment {
  const { sasl } = kafka;
  if (sasl?.mechanism !== 'oauthbearer' || !('url' in sasl.token)) return kafka;
  const token = { ...sasl.token, timeoutMs: Math.min(sasl.token.timeoutMs, tokenMsMax) };
  return { ...kafka, sasl: { ...sasl, token } };
}

/**
 * A token, where we log in by one that we get ourselves; and every broker of `KAFKA_BROKERS`: reached, TLS agreed on, logged
 * in. Opens the way to those that answered.
 */
export async function checkBrokers(given: Given): Promise<readonly Finding[]> {
  const { environment, clock, logger } = given;
  const { kafka } = environment;
  if (kafka === null) return [skipped(connectionName, 'no usable Kafka settings in this process')];
  const brief = withBriefToken(kafka);
  const access = new KafkaAccess(createKafkaDriver(), () => brief, { clock, logger });
  const renewed = await access.renewToken();
  if (renewed === null) return [await tryBrokers(given, kafka, access)];
  const token = judgeKafkaToken(renewed);
  if (renewed.kind === 'none') return [token, skipped(connectionName, 'not looked at: it builds on kafka.token')];
  return [token, await tryBrokers(given, kafka, access)];
}

async function tryBrokers({ logger, opened }: Given, kafka: KafkaEnvironment, access: KafkaAccess): Promise<Finding> {
  const { driver } = access;
  const connection = access.connection();
  const tried = await Promise.all(
    kafka.brokers.slice(0, brokersTriedMax).map(async (broker) => ({
      broker,
      trouble: await driver.tryBroker({ ...connection, brokers: [broker] }, logger),
    })),
  );
  const good = tried.filter(({ trouble }) => trouble === null).map(({ broker }) => broker);
  if (good.length > 0) opened.kafka = driver.admin({ ...connection, brokers: good }, logger, 'once');
  return judgeBrokers(tried, kafka);
}
