import type { NoticesEnvironment } from './environment.js';
import { noticeKeysOf } from './notices-environment.js';
import { readEnvironmentParts, type EnvironmentParts } from './read-environment.js';

const keyText = (byte: number, length = 32): string => `whsec_${Buffer.alloc(length, byte).toString('base64')}`;
const secret = keyText(1);
const webhook = {
  NOTICE_WEBHOOK_URL: 'https://hooks.example.org/loyaltyd/',
  NOTICE_WEBHOOK_SECRET: secret,
  NOTICE_CONSOLE_URL: 'https://loyaltyd.example.org/console/',
};
const mail = {
  NOTICE_SMTP_URL: 'smtp://loyaltyd:hunter%402@mail.example.org',
  NOTICE_MAIL_FROM: 'loyaltyd <loyaltyd@example.org>',
  NOTICE_MAIL_TO: 'ops@example.org, night@example.org',
  NOTICE_CONSOLE_URL: 'https://loyaltyd.example.org',
};

const read = (variables: Readonly<Record<string, string>>): EnvironmentParts =>
  readEnvironmentParts(variables, { roles: [], readFile: () => `${secret}\n` });
const noticesOf = (variables: Readonly<Record<string, string>>): NoticesEnvironment | null => {
  const { value, errors } = read(variables);
  expect(errors).toEqual([]);
  return value.notices;
};

describe('the NOTICE_* variables', () => {
  it('name nobody unless a channel is set', () => {
    expect(noticesOf({})).toBeNull();
    expect(noticesOf({ NOTICE_DOUBTS: '5', NOTICE_CONSOLE_URL: 'https://loyaltyd.example.org' })).toBeNull();
  });

  it('tell a webhook of the first doubt that lasts for a quarter of an hour, and of no money', () => {
    expect(noticesOf(webhook)).toEqual({
      webhook: {
        url: { value: 'https://hooks.example.org/loyaltyd', file: null },
        secret: { value: secret, file: null },
      },
      mail: null,
      ca: null,
      consoleUrl: 'https://loyaltyd.example.org/console',
      ...{ doubts: 1, money: {}, ageMinutes: 15, everyMinutes: 15 },
    });
  });

  it('have secrets in files', () => {
    const { NOTICE_WEBHOOK_SECRET: _secret, ...others } = webhook;
    const file = { ...others, NOTICE_WEBHOOK_SECRET_FILE: '/hook' };
    expect(noticesOf(file)?.webhook?.secret).toEqual({ value: secret, file: '/hook' });
  });

  it('name a relay, which must speak TLS', () => {
    expect(noticesOf(mail)?.mail).toEqual({
      relay: {
        ...{ host: 'mail.example.org', port: 587, isTls: false, needsTls: true },
        login: { user: 'loyaltyd', password: 'hunter@2' },
      },
      from: 'loyaltyd <loyaltyd@example.org>',
      to: ['ops@example.org', 'night@example.org'],
    });
    const relay = (url: string, more = {}): unknown =>
      noticesOf({ ...mail, NOTICE_SMTP_URL: url, ...more })?.mail?.relay;
    expect(relay('smtps://mail.example.org')).toMatchObject({ port: 465, isTls: true, needsTls: false, login: null });
    expect(relay('smtp://[::1]:2525')).toMatchObject({ host: '::1', port: 2525, needsTls: false });
    expect(relay('smtp://mail.example.org:25', { ALLOW_CLEARTEXT: 'notices' })).toMatchObject({ needsTls: false });
  });

  it('take thresholds', () => {
    const more = { NOTICE_DOUBTS: '20', NOTICE_MONEY: 'EUR=500, GBP=250.50', NOTICE_AGE_MINUTES: '0' };
    expect(noticesOf({ ...webhook, ...more, NOTICE_EVERY_MINUTES: '60' })).toMatchObject({
      ...{ doubts: 20, money: { EUR: '500', GBP: '250.50' }, ageMinutes: 0, everyMinutes: 60 },
    });
  });

  const secretRule = 'must be whsec_ and 24 to 64 bytes in base64, or two such with a comma';
  const relayRule =
    'must be smtp://user:password@host:port or smtps://..., percent-encoded; user and password together';
  const moneyRule = 'must be a comma list of CURRENCY=AMOUNT such as EUR=500,GBP=250.50';
  const boxRule = 'must be mail addresses such as ops@example.org or Ops <ops@example.org>';
  it.each([
    [webhook, 'NOTICE_WEBHOOK_SECRET', '', 'required'],
    [webhook, 'NOTICE_WEBHOOK_URL', '', 'required'],
    [webhook, 'NOTICE_CONSOLE_URL', '', 'required'],
    [webhook, 'NOTICE_WEBHOOK_SECRET', 'hunter2', secretRule],
    [webhook, 'NOTICE_WEBHOOK_SECRET', keyText(1, 23), secretRule],
    [webhook, 'NOTICE_WEBHOOK_SECRET', [1, 2, 3].map((byte) => keyText(byte)).join(','), secretRule],
    [webhook, 'NOTICE_WEBHOOK_URL', 'ftp://hooks.example.org', 'must be an http or https address'],
    [webhook, 'NOTICE_WEBHOOK_URL', 'https://a:b@hooks.example.org', 'must have no user, query or fragment'],
    [
      webhook,
      'NOTICE_WEBHOOK_URL',
      'http://hooks.example.org/token',
      'must be https unless it is loopback, or ALLOW_CLEARTEXT names notices',
    ],
    [webhook, 'NOTICE_MONEY', 'EUR', moneyRule],
    [webhook, 'NOTICE_MONEY', 'EUR=1,EUR=2', moneyRule],
    [webhook, 'NOTICE_MONEY', 'XXA=1', moneyRule],
    [webhook, 'NOTICE_EVERY_MINUTES', '0', 'must be a whole number from 1 to 1440'],
    [mail, 'NOTICE_SMTP_URL', '', 'required'],
    [mail, 'NOTICE_SMTP_URL', 'https://mail.example.org', relayRule],
    [mail, 'NOTICE_SMTP_URL', 'smtp://hunter2@mail.example.org', relayRule],
    [mail, 'NOTICE_SMTP_URL', 'smtp://mail.example.org/?tls=no', relayRule],
    [mail, 'NOTICE_MAIL_FROM', 'nobody', boxRule],
    [mail, 'NOTICE_MAIL_TO', 'ops@example.org, a\u00a0b', boxRule],
  ])('of %j: %s must not be "%s"', (given, name, text, rule) => {
    const { errors } = read({ ...given, [name]: text });
    expect(errors).toEqual([`${name}: ${rule}`]);
    expect(errors.join()).not.toContain('hunter2');
  });

  it('say what goes unencrypted by its host alone: an address may carry a token', () => {
    const allowed = { ...webhook, NOTICE_WEBHOOK_URL: 'http://hooks.example.org/token', ALLOW_CLEARTEXT: 'notices' };
    expect(read({ ...allowed, ...mail }).value.cleartext).toEqual({ notices: 'hooks.example.org, mail.example.org' });
    expect(read({ ...webhook, ...mail }).value.cleartext).toEqual({});
  });
});

describe('the keys of a webhook', () => {
  it('are two while one is changed for the other', () => {
    expect(noticeKeysOf(`${keyText(1)}, ${keyText(2)}`)).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
    expect(noticeKeysOf('whsec_')).toBeNull();
  });
});
