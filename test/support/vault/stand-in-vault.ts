import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import type { IssuedCertificate } from '../network/test-authority.js';

interface TransitKey {
  /** By version, the first is 1. */
  readonly versions: Buffer[];
  readonly isDerived: boolean;
  minDecryptionVersion: number;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** What it gives away. */
  readonly plaintext?: string;
}

/** What it is asked, without its token. */
interface Question {
  readonly path: string;
  readonly namespace: string | null;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** What a Vault answers that cannot work now; `silent`: nothing at all. */
type Mood = 'well' | 'sealed' | 'behind' | 'silent' | 'garbage' | 'endless' | 'elsewhere';

const moods: Readonly<Record<'sealed' | 'behind', Answer>> = {
  sealed: { status: 503, body: { errors: ['Vault is sealed'] } },
  // A performance standby that has not seen the state that it is asked about.
  behind: { status: 412, body: { errors: ['required index state not present'] } },
};

const standInToken = 'vault-token-planted';
const ivBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const endlessBytes = 10_000_000;

const refused = (status: number, error: string): Answer => ({ status, body: { errors: [error] } });
const given = (data: object): Answer => ({ status: 200, body: { data } });

/**
 * A Vault (or OpenBao) on this machine as far as its transit engine and its login for Kubernetes go, by its API's documents: what it
 * refuses, it refuses with the statuses and words of the real one.
 */
export class StandInVault {
  mood: Mood = 'well';
  /** What it answers to everything; null: what it should. */
  reply: { readonly status: number; readonly text: string } | null = null;
  readonly asked: Question[] = [];
  /** Every plaintext that it has given away, in base64. */
  readonly opened = new Set<string>();
  /** Those that it takes now. */
  readonly tokens = new Set<string>([standInToken]);
  /** Tokens of service accounts that it takes, with the role of each. */
  readonly accounts = new Map<string, string>();
  private readonly keys = new Map<string, TransitKey>();

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly scheme: string,
    private port: number,
  ) {
    server.on('request', (request, response) => void this.serve(request, response));
  }

  /** Listening, with a key `loyaltyd`. The caller must `stop` it. */
  static async start(tls: IssuedCertificate | null = null): Promise<StandInVault> {
    const server = tls === null ? createServer() : createTlsServer(tls);
    const vault = new StandInVault(server, tls === null ? 'http' : 'https', 0);
    await vault.listen();
    vault.addKey('loyaltyd');
    return vault;
  }

  get address(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  /** What a process needs to have keys opened by it. */
  get environment(): Record<string, string> {
    return { VAULT_ADDR: this.address, VAULT_TRANSIT_KEY_NAME: 'loyaltyd', VAULT_TOKEN: standInToken };
  }

  addKey(name: string, isDerived = false): void {
    this.keys.set(name, { versions: [randomBytes(keyBytes)], isDerived, minDecryptionVersion: 1 });
  }

  /** `vault write -f transit/keys/NAME/rotate` */
  rotate(name: string): void {
    this.keys.get(name)?.versions.push(randomBytes(keyBytes));
  }

  /** `vault write transit/keys/NAME/config min_decryption_version=...` */
  forbidBelow(name: string, version: number): void {
    const key = this.keys.get(name);
    if (key !== undefined) key.minDecryptionVersion = version;
  }

  /** As its own tools would: wraps what nobody would wrap through us. */
  wrap(name: string, plain: Uint8Array): string {
    const key = this.keys.get(name);
    if (key === undefined) throw new Error(`no key ${name}`);
    return sealed(key, Buffer.from(plain).toString('base64'), '');
  }

  /** Listens again where it did before. */
  async listen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '');
    const namespace = headerOf(request, 'x-vault-namespace');
    this.asked.push({ path: request.url ?? '', namespace });
    if (this.mood === 'silent') return;
    if (this.reply !== null) {
      response.writeHead(this.reply.status).end(this.reply.text);
      return;
    }
    if (this.mood === 'garbage') response.end('<html>Welcome</html>');
    else if (this.mood === 'endless') response.end(Buffer.alloc(endlessBytes, '['));
    else if (this.mood === 'elsewhere') response.writeHead(307, { location: `${this.address}/v1/elsewhere` }).end();
    else {
      const { status, body: answer } = this.mood === 'well' ? this.answer(request, body) : moods[this.mood];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }
  }

  private answer(request: IncomingMessage, body: string): Answer {
    const fields = JSON.parse(body) as Fields;
    const path = request.url ?? '';
    if (request.method !== 'POST') return refused(405, 'unsupported operation');
    if (path === '/v1/auth/kubernetes/login') return this.login(fields);
    if (!this.tokens.has(headerOf(request, 'x-vault-token') ?? '')) return refused(403, 'permission denied');
    return this.transit(path, fields);
  }

  private transit(path: string, fields: Fields): Answer {
    const [, action, name = ''] = /^\/v1\/transit\/(decrypt|rewrap|datakey\/wrapped)\/([\w-]+)$/.exec(path) ?? [];
    if (action === undefined) return refused(404, `no handler for route "${path.slice(4)}"`);
    const key = this.keys.get(name);
    if (key === undefined) return refused(400, 'encryption key not found');
    if (key.isDerived && fields['context'] === undefined) return refused(400, "missing 'context' for key derivation");
    const answer = perform(action, key, fields);
    if (answer.plaintext !== undefined) this.opened.add(answer.plaintext);
    return answer;
  }

  private login({ role = '', jwt = '' }: Fields): Answer {
    if (![...this.accounts.values()].includes(role)) return refused(400, `invalid role name "${role}"`);
    if (this.accounts.get(jwt) !== role) return refused(403, 'permission denied');
    const token = `hvs.${randomBytes(keyBytes).toString('base64url')}`;
    this.tokens.add(token);
    return { status: 200, body: { auth: { client_token: token, lease_duration: 600 } } };
  }
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

function perform(action: string, key: TransitKey, { context = '', ciphertext = '' }: Fields): Answer {
  if (action === 'datakey/wrapped') {
    const made = sealed(key, randomBytes(keyBytes).toString('base64'), context);
    return given({ ciphertext: made, key_version: key.versions.length });
  }
  const plain = opened(key, ciphertext, context);
  if (typeof plain !== 'string') return plain;
  if (action === 'decrypt') return { ...given({ plaintext: plain }), plaintext: plain };
  return given({ ciphertext: sealed(key, plain, context), key_version: key.versions.length });
}

function derived(key: Buffer, context: string): Buffer {
  return context === '' ? key : createHmac('sha256', key).update(context).digest();
}

function sealed({ versions }: TransitKey, plaintext: string, context: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', derived(versions.at(-1) ?? Buffer.alloc(0), context), iv);
  const body = Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return `vault:v${versions.length}:${body.toString('base64')}`;
}

/** The plaintext, in base64 as it came; or why not. */
function opened(key: TransitKey, ciphertext: string, context: string): string | Answer {
  const [, version = '', body = ''] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
  const versioned = key.versions[Number(version) - 1];
  if (version === '' || versioned === undefined) return refused(400, 'invalid ciphertext: no prefix');
  if (Number(version) < key.minDecryptionVersion) {
    return refused(400, 'ciphertext or signature version is disallowed by policy (too old)');
  }
  const bytes = Buffer.from(body, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', derived(versioned, context), bytes.subarray(0, ivBytes));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const plain = decipher.update(bytes.subarray(ivBytes, -tagBytes));
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
  } catch {
    return refused(400, 'invalid ciphertext: unable to decrypt');
  }
}
