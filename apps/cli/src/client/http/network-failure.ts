import { CommandFailure } from '../../command-line/command-failure.js';
import { NoAnswer } from './api-failure.js';
import { TimedOut } from './exchange.js';

/** Nothing can have been sent. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be resolved now',
  EHOSTUNREACH: 'there is no way to this host',
  ENETUNREACH: 'there is no way to this network',
  ETIMEDOUT: 'the connection was not accepted in time',
};
const certificate = /CERT|SELF_SIGNED|TLS|SSL/;

function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return [code, name].find((word) => typeof word === 'string') ?? 'unknown error';
}

/** What is told where no answer came. */
export function networkFailure(error: unknown, server: string, sent: { readonly mayHaveActed: boolean }): Error {
  const code = codeOf(error);
  const known = unreached[code];
  if (known !== undefined) return new NoAnswer(`cannot reach ${server}: ${known} (${code})`);
  if (certificate.test(code)) {
    const hint = 'NODE_EXTRA_CA_CERTS names a file of further authorities';
    return new CommandFailure(`cannot trust the certificate of ${server} (${code}); ${hint}`);
  }
  const what = error instanceof TimedOut ? 'no answer in time (--timeout)' : `the connection broke (${code})`;
  const doubt = sent.mayHaveActed ? '; it may have been done: look before you ask again' : '';
  return new NoAnswer(`${server}: ${what}${doubt}`);
}
