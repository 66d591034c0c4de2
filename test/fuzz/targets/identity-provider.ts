import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

import { isSecureUrl } from '#contracts';
import { ApiProblem, ProviderOperators } from '#operations';
import type { Chance } from '#shop';
import { VirtualClock } from '#test-support';

import { joinHead, jsonOf, mustHold, splitHead, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes, mutateJson, planted } from '../mutate.js';

const issuer = 'https://id.example';
const audience = 'loyaltyd';
const startMs = Date.UTC(2026, 10, 21, 10);
const now = startMs / 1_000;
const lastMoment = Date.parse('9999-12-31T23:59:59Z') / 1_000;
const toleranceSeconds = 30;
/** Longer than a provider rests after a failure. */
const restMs = 60_000;

interface Signer {
  readonly privateKey: KeyObject;
  readonly jwk: object;
}

function newSigner(kid: string): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' } };
}

const ours = newSigner('k-1');
const somebodys = newSigner('k-1');

interface Document {
  readonly status: number;
  readonly body: Uint8Array;
}

const jsonDocument = (value: unknown): Document => ({ status: 200, body: Buffer.from(JSON.stringify(value)) });
const rightDocuments: Readonly<Record<DocumentName, Document>> = {
  discovery: jsonDocument({ issuer, jwks_uri: `${issuer}/keys` }),
  keys: jsonDocument({ keys: [ours.jwk] }),
};

type DocumentName = 'discovery' | 'keys';

/** In place of the network: nothing that a document says leads anywhere. */
class Provider {
  documents = rightDocuments;
  private readonly former = globalThis.fetch;

  constructor() {
    globalThis.fetch = (input, init) =>
      Promise.resolve(this.answer(input instanceof Request ? input.url : input.toString(), init));
  }

  close(): Promise<void> {
    globalThis.fetch = this.former;
    return Promise.resolve();
  }

  private answer(url: string, init: RequestInit | undefined): Response {
    mustHold(isSecureUrl(url), 'a document is asked for in the clear', url);
    mustHold(init?.redirect === 'manual', 'a redirect would be followed');
    const { status, body } = this.documents[url.endsWith('/openid-configuration') ? 'discovery' : 'keys'];
    return new Response(Buffer.from(body), { status });
  }
}

const encoded = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64url');

function tokenOf(header: string, claims: Uint8Array, { privateKey }: Signer): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${encoded(sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }))}`;
}

type Verdict = Awaited<ReturnType<ProviderOperators['judge']>> | ApiProblem;

/** What is said of a token. @throws whatever is no problem of the API */
async function verdictOf(operators: ProviderOperators, token: string): Promise<Verdict> {
  mustHold(operators.isWellFormed(token), 'what is a token by its form is taken for none');
  try {
    return await operators.judge(token);
  } catch (error) {
    if (error instanceof ApiProblem) return error;
    throw error;
  }
}

function saidOf(verdict: Verdict): string {
  const text = verdict instanceof ApiProblem ? verdict.textFor('r') : JSON.stringify(verdict);
  if (verdict instanceof ApiProblem || verdict.kind === 'refused') {
    mustHold(!text.includes(planted), 'a refusal quotes the token', text);
  }
  if (!(verdict instanceof ApiProblem)) return verdict.kind === 'refused' ? `refused ${verdict.detail}` : 'admitted';
  const { status, code } = verdict.options;
  mustHold(status === 403 || status === 503, 'a token leads to another problem', status);
  return `problem ${code}`;
}

const roles = ['viewer', 'operator', 'admin'];
const clients = ['cli'];

const optionsOf = (clock: VirtualClock, isStrict: boolean): ConstructorParameters<typeof ProviderOperators>[0] => ({
  ...{ issuer, audience, roleClaim: isStrict ? 'access.roles' : 'roles', clock, console: null, keysCooldownMs: 0 },
  programsClaim: isStrict ? 'access.programs' : null,
  clients: isStrict ? clients : [],
});

type Claims = Readonly<Record<string, unknown>>;
type Admitted = Extract<Exclude<Verdict, ApiProblem>, { readonly kind: 'admitted' }>['operator'];

const at = (claims: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => {
    const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isHolder ? (value as Claims)[name] : undefined;
  }, claims);

/** At the path, or under a name that has its dots. */
const said = (claims: Claims, one: string, other: string): unknown[] =>
  [at(claims, one, other), at(claims, `${one}.${other}`)].flat();

/** That it is the provider's, for us, and holds now. */
function mustHoldNow({ iss, aud, exp, nbf = now }: Claims): void {
  mustHold(iss === issuer && [aud].flat().includes(audience), 'a token of or for somebody else is taken', [iss, aud]);
  mustHold(typeof exp === 'number' && exp > now - toleranceSeconds && exp <= lastMoment, 'its end is none', exp);
  mustHold(typeof nbf === 'number' && nbf <= now + toleranceSeconds, 'it does not hold yet', nbf);
}

/** Judged by another reading of the same claims. */
function mustBeOf(claims: Claims, { name, role, programs, subject }: Admitted, isStrict: boolean): void {
  mustHoldNow(claims);
  const held = isStrict ? said(claims, 'access', 'roles') : [at(claims, 'roles')].flat();
  mustHold(roles.includes(role) && held.includes(role), 'nobody gave this role', role);
  mustHold(subject === `${issuer} ${String(claims['sub'])}`, 'it is about somebody else', subject);
  mustHold(name !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name), 'it names nobody', name);
  const named = isStrict ? said(claims, 'access', 'programs') : ['*'];
  const allowed = programs ?? ['*'];
  mustHold(allowed.length > 0 && allowed.every((each) => named.includes(each)), 'another program', programs);
}

const claimWords: readonly string[] = [
  ...['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'roles', 'access', 'access.roles', 'access.programs', 'programs', '*'],
  ...['azp', 'client_id', 'cli', 'typ', 'Bearer', 'ID', 'nonce', 'preferred_username', 'email', 'admin', 'super admin'],
  ...['viewer', 'operator', issuer, audience, '1e308', '253402300799', `${now + 60}`, '"roles":["admin"],', '[', ']'],
];
const headerWords: readonly string[] = [
  ...[
    'alg',
    'kid',
    'typ',
    'crit',
    'b64',
    'jwk',
    'jku',
    'x5c',
    'x5u',
    'zip',
    'none',
    'HS256',
    'RS256',
    'PS256',
    'EdDSA',
  ],
  ...['ES256', 'k-1', 'k-2', 'at+jwt', 'JWT', 'dpop+jwt', '"alg":"none",', '"kid":"k-1",'],
];

interface TokenHead {
  readonly header: string;
  readonly signedBy: 'ours' | 'somebody' | 'nobody';
  readonly isStrict: boolean;
}

const rightClaims = {
  iss: issuer,
  aud: audience,
  sub: 'u-1',
  exp: now + 60,
  roles: ['viewer', 'operator'],
  azp: 'cli',
};
const strictClaims = {
  ...rightClaims,
  access: { roles: 'admin', programs: ['coffee-club'] },
  email: 'ada@example.org',
};
const rightHeader = JSON.stringify({ alg: 'ES256', kid: 'k-1', typ: 'JWT' });

/** What is repeated within itself doubles each time. */
const treeCharsMax = 16 * 1024;

/** A value as text again; a broken one as it is. */
function mutatedText(text: string, chance: Chance, words: readonly string[], others: readonly Buffer[]): Buffer {
  const json = text.length > treeCharsMax ? undefined : jsonOf(text);
  const isTree = json !== undefined && chance.happens(0.7);
  return isTree
    ? Buffer.from(JSON.stringify(mutateJson(json, chance, words)))
    : mutateBytes(Buffer.from(text), chance, words, others);
}

interface Sent {
  readonly token: string;
  readonly claims: Buffer;
  readonly isStrict: boolean;
  readonly isOurs: boolean;
}

function sentIn(input: Buffer): Sent | null {
  const parts = splitHead(input);
  const { header, signedBy, isStrict } = (parts?.head ?? {}) as Partial<TokenHead>;
  if (parts === null || typeof header !== 'string' || header === '' || parts.body.length === 0) return null;
  const isOurs = signedBy === 'ours';
  const signed = tokenOf(header, parts.body, isOurs ? ours : somebodys);
  const token = signedBy === 'nobody' ? signed.slice(0, signed.lastIndexOf('.') + 1) : signed;
  return { token, claims: parts.body, isStrict: isStrict === true, isOurs };
}

/** Tokens that anybody may send: the provider's, and what was made of them. */
export function accessTokenTarget(): FuzzTarget {
  const provider = new Provider();
  const clock = new VirtualClock(startMs);
  const operators = {
    plain: new ProviderOperators(optionsOf(clock, false)),
    strict: new ProviderOperators(optionsOf(clock, true)),
  };
  const make = (chance: Chance, pool: readonly Buffer[]): Buffer => {
    const parts = splitHead(chance.pick(pool));
    if (parts === null) return mutateBytes(chance.pick(pool), chance, claimWords);
    const { header = rightHeader, ...head } = parts.head as Partial<TokenHead>;
    const isHeader = chance.happens(0.3);
    const changed = isHeader ? mutatedText(header, chance, headerWords, []).toString() : header;
    const signedBy = chance.happens(0.1) ? chance.pick(['ours', 'somebody', 'nobody'] as const) : head.signedBy;
    const claims = isHeader ? parts.body : mutatedText(parts.body.toString(), chance, claimWords, pool);
    return joinHead({ header: changed, signedBy, isStrict: chance.happens(0.5) }, claims);
  };
  const judge = async (input: Buffer): Promise<string> => {
    const sent = sentIn(input);
    if (sent === null) return 'no token';
    const { token, claims, isStrict, isOurs } = sent;
    const judged = isStrict ? operators.strict : operators.plain;
    const verdict = await verdictOf(judged, token);
    const again = await verdictOf(judged, token);
    mustHold(saidOf(again) === saidOf(verdict), 'a token means another thing the second time', saidOf(again));
    if (!(verdict instanceof ApiProblem) && verdict.kind === 'admitted') {
      mustHold(isOurs, 'a forged token lets somebody in', token);
      mustBeOf(jsonOf(claims) as Claims, verdict.operator, isStrict);
    }
    return `${isStrict ? 'strict' : 'plain'} ${saidOf(verdict)}`;
  };
  const samples = [
    joinHead({ header: rightHeader, signedBy: 'ours', isStrict: false }, Buffer.from(JSON.stringify(rightClaims))),
    joinHead({ header: rightHeader, signedBy: 'ours', isStrict: true }, Buffer.from(JSON.stringify(strictClaims))),
    joinHead({ header: '{"alg":"none"}', signedBy: 'nobody' }, Buffer.from(JSON.stringify(rightClaims))),
  ];
  return { name: 'access-token', samples, make, judge, close: () => provider.close() };
}

const documentWords: readonly string[] = [
  ...[
    'issuer',
    'jwks_uri',
    'keys',
    'kty',
    'EC',
    'oct',
    'RSA',
    'OKP',
    'crv',
    'P-256',
    'P-384',
    'Ed25519',
    'x',
    'y',
    'n',
  ],
  ...[
    'e',
    'k',
    'd',
    'kid',
    'k-1',
    'alg',
    'ES256',
    'HS256',
    'use',
    'sig',
    'enc',
    'key_ops',
    'verify',
    'ext',
    'x5c',
    'AQAB',
  ],
  ...[`${issuer}/`, `${issuer}/keys`, 'http://id.example/keys', 'file:///etc/passwd', 'http://127.0.0.1:1/keys', '//'],
];

interface DocumentHead {
  readonly of: DocumentName;
  readonly status: number;
}

const statuses = [200, 200, 200, 200, 301, 307, 404, 429, 500, 503];

/** What an identity provider publishes, or whoever answers in its place. */
export function providerDocumentTarget(): FuzzTarget {
  const provider = new Provider();
  const rightToken = tokenOf(rightHeader, Buffer.from(JSON.stringify(rightClaims)), ours);
  const forged = tokenOf(rightHeader, Buffer.from(JSON.stringify({ ...rightClaims, roles: ['admin'] })), somebodys);
  const make = (chance: Chance, pool: readonly Buffer[]): Buffer => {
    const parts = splitHead(chance.pick(pool));
    if (parts === null) return mutateBytes(chance.pick(pool), chance, documentWords);
    const { of } = parts.head as DocumentHead;
    const body = mutatedText(parts.body.toString(), chance, documentWords, pool);
    return joinHead({ of, status: chance.happens(0.2) ? chance.pick(statuses) : 200 }, body);
  };
  const judge = async (input: Buffer): Promise<string> => {
    const parts = splitHead(input);
    const { of, status = 200 } = (parts?.head ?? {}) as Partial<DocumentHead>;
    if (parts === null || (of !== 'discovery' && of !== 'keys') || !statuses.includes(status)) return 'no document';
    const clock = new VirtualClock(startMs);
    const operators = new ProviderOperators(optionsOf(clock, false));
    provider.documents = { ...rightDocuments, [of]: { status, body: parts.body } };
    const said: string[] = [];
    for (const token of [rightToken, forged]) said.push(saidOf(await verdictOf(operators, token)));
    mustHold(said[1] !== 'admitted', 'a forged token lets somebody in', said);
    provider.documents = rightDocuments;
    await clock.advance(restMs);
    const fresh = tokenOf(rightHeader, Buffer.from(JSON.stringify({ ...rightClaims, exp: now + 600 })), ours);
    const later = saidOf(await verdictOf(operators, fresh));
    // Where it was led elsewhere it stays there until its keys are old; `keys` of the right provider are found again.
    mustHold(of === 'discovery' || later === 'admitted', 'a provider that came back is not heard', later);
    return `${of} ${said.join(' ')} ${later}`;
  };
  const samples = (['discovery', 'keys'] as const).map((of) =>
    joinHead({ of, status: 200 }, Buffer.from(rightDocuments[of].body)),
  );
  return { name: 'provider-document', samples, make, judge, close: () => provider.close() };
}
