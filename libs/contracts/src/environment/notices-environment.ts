import { z } from 'zod';

import { currencyCodeSchema } from '../programs/currency.js';
import type { AllowedCleartext } from './cleartext.js';
import type { MailRelay, NoticesEnvironment } from './environment.js';
import { integerSchema, isLoopback, listSchema, textSchema, urlSchema, type VariableReader } from './variables.js';

/** Keys that sign at the same time: one that goes, one that comes. */
const keysMax = 2;
/** What the Standard Webhooks specification asks of a key. */
const [keyBytesMin, keyBytesMax] = [24, 64];
const keyPrefix = 'whsec_';

function keyOf(text: string): Buffer | null {
  const encoded = text.startsWith(keyPrefix) ? text.slice(keyPrefix.length) : '';
  const key = Buffer.from(encoded, 'base64');
  return key.length >= keyBytesMin && key.length <= keyBytesMax && key.toString('base64') === encoded ? key : null;
}

/** What notices are signed with, by the text of `NOTICE_WEBHOOK_SECRET`; null where that is something else. */
export function noticeKeysOf(text: string): readonly Buffer[] | null {
  const keys = text.split(',').map((each) => keyOf(each.trim()));
  const isKey = (key: Buffer | null): key is Buffer => key !== null;
  return keys.length <= keysMax && keys.every(isKey) ? keys : null;
}

/** One mailbox: an address alone, or behind a name. Commas would make two of it. */
const mailboxSchema = textSchema.refine(
  (text) => /^(?:[^<>@,]+ <[^<>@\s,]+@[^<>@\s,]+>|[^<>@\s,]+@[^<>@\s,]+)$/.test(text),
  {
    error: 'must be mail addresses such as ops@example.org or Ops <ops@example.org>',
  },
);
const recipientsMax = 20;
const recipientsSchema = listSchema.pipe(
  z
    .array(mailboxSchema)
    .min(1, { error: 'names nobody' })
    .max(recipientsMax, { error: `at most ${recipientsMax}` }),
);

const moneyRule = { error: 'must be a comma list of CURRENCY=AMOUNT such as EUR=500,GBP=250.50' };
const moneySchema = listSchema.transform((items, context): Readonly<Record<string, string>> => {
  const amounts = items.map((item) => /^([A-Z]{3})=(\d{1,12}(?:\.\d{1,4})?)$/.exec(item) ?? []);
  const isKnown = amounts.every(([, currency]) => currencyCodeSchema.safeParse(currency).success);
  const byCurrency = Object.fromEntries(amounts.map(([, currency = '', amount = '']) => [currency, amount]));
  if (isKnown && Object.keys(byCurrency).length === items.length) return byCurrency;
  context.addIssue(moneyRule.error);
  return z.NEVER;
});

const intentsMax = 1_000_000;
const minutesMax = 1_440;
const ports: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Null: it is not what it should be. */
function loginOf({ username, password }: URL): { readonly login: MailRelay['login'] } | null {
  const [user, secret] = [decoded(username), decoded(password)];
  if (user === null || secret === null || (user === '') !== (secret === '')) return null;
  return { login: user === '' ? null : { user, password: secret } };
}

/** An address of a relay has neither path nor anything behind it. */
function hasMore({ pathname, search, hash }: URL): boolean {
  return !['', '/'].includes(pathname) || `${search}${hash}` !== '';
}

/** @returns null where the address is none of a relay */
function relayOf(text: string, allowed: AllowedCleartext): MailRelay | null {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || hasMore(url)) return null;
  const [standardPort, login] = [ports[url.protocol], loginOf(url)];
  if (standardPort === undefined || login === null) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isTls = url.protocol === 'smtps:';
  const needsTls = !isTls && !isLoopback(host) && !allowed.has('notices');
  return { host, port: url.port === '' ? standardPort : Number(url.port), isTls, needsTls, ...login };
}

function readWebhook(variables: VariableReader): NoticesEnvironment['webhook'] {
  const names = ['NOTICE_WEBHOOK_URL', 'NOTICE_WEBHOOK_SECRET'] as const;
  if (!names.some((name) => variables.isSet(name))) return null;
  const [url, secret] = [variables.requiredSecret(names[0]), variables.requiredSecret(names[1])];
  if (secret !== null && noticeKeysOf(secret.value) === null) {
    variables.fail(
      names[1],
      `must be whsec_ and ${keyBytesMin} to ${keyBytesMax} bytes in base64, or two such with a comma`,
    );
  }
  if (url === null) return null;
  const read = urlSchema.safeParse(url.value);
  if (!read.success) return variables.fail(names[0], read.error.issues[0]?.message ?? 'must be an https address');
  return secret === null ? null : { url: { ...url, value: read.data }, secret };
}

function readMail(variables: VariableReader, allowed: AllowedCleartext): NoticesEnvironment['mail'] {
  const names = ['NOTICE_SMTP_URL', 'NOTICE_MAIL_FROM', 'NOTICE_MAIL_TO'] as const;
  if (!names.some((name) => variables.isSet(name))) return null;
  const secret = variables.requiredSecret(names[0]);
  const from = variables.required(names[1], mailboxSchema);
  const to = variables.required(names[2], recipientsSchema);
  const relay = secret === null ? null : relayOf(secret.value, allowed);
  if (secret !== null && relay === null) {
    variables.fail(
      names[0],
      'must be smtp://user:password@host:port or smtps://..., percent-encoded; user and password together',
    );
  }
  return relay === null || from === null || to === null ? null : { relay, from, to };
}

/** The `NOTICE_*` variables; `null` where they name nobody to tell. */
export function readNotices(variables: VariableReader, allowed: AllowedCleartext): NoticesEnvironment | null {
  const webhook = readWebhook(variables);
  const mail = readMail(variables, allowed);
  const rest = {
    ca: variables.pem('NOTICE_CA_FILE', 'CERTIFICATE'),
    doubts: variables.withDefault('NOTICE_DOUBTS', integerSchema(1, intentsMax), 1),
    money: variables.withDefault('NOTICE_MONEY', moneySchema, {}),
    ageMinutes: variables.withDefault('NOTICE_AGE_MINUTES', integerSchema(0, minutesMax), 15),
    everyMinutes: variables.withDefault('NOTICE_EVERY_MINUTES', integerSchema(1, minutesMax), 15),
  };
  const isMeant = webhook !== null || mail !== null;
  const consoleUrl = isMeant
    ? variables.required('NOTICE_CONSOLE_URL', urlSchema)
    : variables.optional('NOTICE_CONSOLE_URL', urlSchema);
  return isMeant && consoleUrl !== null ? { webhook, mail, consoleUrl, ...rest } : null;
}
