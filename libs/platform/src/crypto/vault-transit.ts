import { NoAnswerError, postOnce } from '../post-once.js';
import { KeyService, KeyServiceAwayError, KeyServiceRefusedError } from './key-service.js';

/** Who we are to Vault: by a token, or as a service account of Kubernetes, which gets one for each request. */
export type VaultLogin =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'kubernetes'; readonly mount: string; readonly role: string; readonly jwt: string };

export interface VaultSettings {
  /** Without a trailing slash; `/v1/...` is added. */
  readonly address: string;
  readonly namespace: string | null;
  /** Where the transit engine is mounted. */
  readonly mount: string;
  /** The name of its key. */
  readonly keyName: string;
  /** From which a key that is derived (`derived=true`) is derived. */
  readonly context: string | null;
  readonly login: VaultLogin;
  /** Authorities in PEM in place of the public ones. */
  readonly ca: string | null;
  /** Of one request, from connecting to its answer. */
  readonly timeoutMs: number;
}

/** What the transit engine of Vault and OpenBao wraps keys into. */
const wrappedPattern = /^vault:v\d+:[\w+/=-]+$/;

const tokenProblem =
  'Vault refuses us (http-403): its token has ended or is wrong, the service account has not that role, or the policy does not let it';
const keyProblem =
  'Vault refuses the key (http-400): there is no transit key of that name, or it does not open this one: another key, another ' +
  'context, or a version below its min_decryption_version';
const loginProblem = 'Vault refuses the login of Kubernetes (http-400): it knows no such role';
const pathProblem = 'Vault has nothing there (http-404): another mount, or another namespace';

/** Statuses that a repetition may mend although they are none of 5xx: too slow, behind another node, too early, too many. */
const laterStatuses = new Set([408, 412, 425, 429]);

/**
 * The transit engine of HashiCorp Vault and OpenBao, by its HTTP API (`/transit/decrypt/:name`, `/transit/rewrap/:name`,
 * `/transit/datakey/wrapped/:name`, `/auth/kubernetes/login`). No error quotes an answer: it may hold what was asked.
 */
export class VaultTransit extends KeyService {
  /** @param settings asked before each request: tokens and authorities are renewed while the process runs */
  constructor(private readonly settings: () => VaultSettings) {
    super();
  }

  async makeWrapped(): Promise<string> {
    return wrappedIn(await this.ask('datakey/wrapped', { bits: 256 }));
  }

  async unwrap(wrapped: string): Promise<Uint8Array> {
    const plaintext = textAt(await this.ask('decrypt', { ciphertext: wrapped }), 'data', 'plaintext');
    return new Uint8Array(Buffer.from(plaintext, 'base64'));
  }

  async rewrap(wrapped: string): Promise<string> {
    return wrappedIn(await this.ask('rewrap', { ciphertext: wrapped }));
  }

  private async ask(action: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> {
    const settings = this.settings();
    const token = await tokenFor(settings);
    const { mount, keyName, context } = settings;
    const body = context === null ? fields : { ...fields, context: Buffer.from(context, 'utf8').toString('base64') };
    return post(settings, `${mount}/${action}/${keyName}`, { body, token, problem: keyProblem });
  }
}

async function tokenFor(settings: VaultSettings): Promise<string> {
  const { login } = settings;
  if (login.kind === 'token') return login.token;
  const body = { role: login.role, jwt: login.jwt };
  const answer = await post(settings, `auth/${login.mount}/login`, { body, token: null, problem: loginProblem });
  return textAt(answer, 'auth', 'client_token');
}

interface Asked {
  readonly body: object;
  readonly token: string | null;
  /** What a 400 means there. */
  readonly problem: string;
}

/** @returns what was answered, as JSON */
async function post(settings: VaultSettings, path: string, { body, token, problem }: Asked): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    // A listener of Vault's agent may insist on it, so that nobody's browser can be made to ask.
    'x-vault-request': 'true',
    ...(token === null ? {} : { 'x-vault-token': token }),
    ...(settings.namespace === null ? {} : { 'x-vault-namespace': settings.namespace }),
  };
  const { address, ca, timeoutMs } = settings;
  const asked = { url: `${address}/v1/${path}`, headers, body: JSON.stringify(body), ca, timeoutMs };
  const { status, text } = await postOnce(asked).catch((error: unknown) => {
    throw error instanceof NoAnswerError ? away(whyOf(error)) : error;
  });
  if (status >= 200 && status < 300) return parsed(text);
  throw statusError(status, problem);
}

function statusError(status: number, problem: string): Error {
  if (status === 403) return new KeyServiceRefusedError(tokenProblem);
  if (status === 404) return new KeyServiceRefusedError(pathProblem);
  if (status === 400) return new KeyServiceRefusedError(problem);
  const isFinal = status >= 400 && status < 500 && !laterStatuses.has(status);
  if (isFinal) return new KeyServiceRefusedError(`Vault refuses the request (http-${status})`);
  // A redirect leads from a standby to the active node. Our token goes to the address that was configured, and to no other.
  const why = status === 503 ? ': it is sealed, or no node is active' : '';
  return away(`http-${status}${why}`);
}

function away(why: string): KeyServiceAwayError {
  return new KeyServiceAwayError(`Vault cannot be used now (${why})`);
}

function whyOf({ reason }: NoAnswerError): string {
  return reason === 'answer-too-long' ? 'answer-unreadable: it is too long' : reason;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw away('answer-unreadable: is something else in its place?');
  }
}

/** Where Vault's answers have what is asked for: `data.plaintext`. */
function textAt(answer: unknown, ...path: readonly string[]): string {
  const found = path.reduce<unknown>(
    (node, name) => (typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[name] : undefined),
    answer,
  );
  if (typeof found === 'string' && found !== '') return found;
  throw away('answer-unreadable: is something else in its place?');
}

function wrappedIn(answer: unknown): string {
  const wrapped = textAt(answer, 'data', 'ciphertext');
  if (wrappedPattern.test(wrapped)) return wrapped;
  throw away('answer-unreadable: is something else in its place?');
}
