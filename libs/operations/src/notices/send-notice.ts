import { createHmac } from 'node:crypto';

import type { Notice, NoticesEnvironment } from '#contracts';
import { noticeKeysOf } from '#contracts';
import { errorCode, errorName, NoAnswerError, postOnce, SafeError } from '#platform';

import { mailText } from './compose-notice.js';
import type { Channel } from './notice-settings.js';

/** From connecting to the end of the answer. */
export const sendMsMax = 10_000;

/** A notice was not taken; `problem` is a code, and nothing that somebody else said. */
export class NotTakenError extends SafeError {
  override readonly name = 'NotTakenError';

  constructor(readonly problem: string) {
    super(`a notice was not taken (${problem})`);
  }
}

/** A notice as it is sent, each time with the same id: who receives it twice knows it by that. */
export interface SentNotice {
  readonly noticeId: string;
  readonly content: Notice;
}

interface Sending {
  readonly settings: NoticesEnvironment;
  /** Epoch ms. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * The headers that the Standard Webhooks specification asks for.
 * @param keys each signs: while one is changed for another, whoever knows either can check
 * @param now epoch ms
 */
export function signedHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  keys: readonly Uint8Array[],
  now: number,
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(now / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

async function sendWebhook({ noticeId, content }: SentNotice, { settings, now, signal }: Sending): Promise<void> {
  const { webhook, ca } = settings;
  if (webhook === null) throw new NotTakenError('not-set-up');
  const body = JSON.stringify(content);
  const signed = signedHeaders({ id: noticeId, body }, noticeKeysOf(webhook.secret.value) ?? [], now);
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...signed };
  const target = { url: webhook.url.value, ca: ca?.value ?? null, timeoutMs: sendMsMax, signal };
  const { status } = await postOnce({ ...target, headers, body });
  // A redirect is none, too: nothing is followed.
  if (status < 200 || status > 299) throw new NotTakenError(`http-${status}`);
}

async function sendMail({ noticeId, content }: SentNotice, { settings, signal }: Sending): Promise<void> {
  const { mail, ca } = settings;
  if (mail === null) throw new NotTakenError('not-set-up');
  const { createTransport } = await import('nodemailer');
  const { relay, from, to } = mail;
  const transport = createTransport({
    ...{ host: relay.host, port: relay.port, secure: relay.isTls, requireTLS: relay.needsTls },
    ...(relay.login !== null && { auth: { user: relay.login.user, pass: relay.login.password } }),
    ...(ca !== null && { tls: { ca: ca.value } }),
    ...{ connectionTimeout: sendMsMax, greetingTimeout: sendMsMax, socketTimeout: sendMsMax, dnsTimeout: sendMsMax },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const host = from.split('@').at(-1)?.replace('>', '') ?? 'localhost';
  const sent = transport.sendMail({
    ...{ from, to: [...to], subject: `loyaltyd: ${content.data.text}`, text: mailText(content) },
    ...{ messageId: `<${noticeId}@${host}>`, headers: { 'Auto-Submitted': 'auto-generated' } },
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(sendMsMax)]);
  const ended = Promise.withResolvers<never>();
  limit.addEventListener('abort', () => {
    ended.reject(new NotTakenError('timeout'));
  });
  try {
    await Promise.race([sent, ended.promise]);
  } finally {
    // It may fail when nobody waits for it any more.
    sent.catch(() => undefined);
    transport.close();
  }
}

/** Why a relay did not take a mail: its code, without its words. */
function relayProblem(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'responseCode' in error ? error.responseCode : null;
  return typeof code === 'number' ? `smtp-${code}` : (errorCode(error) ?? errorName(error));
}

const senders: Readonly<Record<Channel, typeof sendMail>> = { webhook: sendWebhook, mail: sendMail };

/** Sends it once. @throws {NotTakenError} */
export async function sendNotice(channel: Channel, notice: SentNotice, sending: Sending): Promise<void> {
  try {
    await senders[channel](notice, sending);
  } catch (error) {
    if (error instanceof NotTakenError) throw error;
    throw new NotTakenError(error instanceof NoAnswerError ? error.reason : relayProblem(error));
  }
}
