import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import type { HttpRequest, HttpResult, HttpTransport } from '#gateway';

import type { PartnerRequest } from '../../checker/index.js';
import type { Chance, OtherRequest } from '#shop';
import { closedStore } from '#shop';
import type { SimProcess } from '../kernel/sim-process.js';
import type { Timeline } from '../kernel/timeline.js';
import type { PartnerCall } from './partner-call.js';
import { answered, lost, neverConnected, readCall, serverError, tooMany } from './partner-call.js';
import type { RequestFate } from './partner-weather.js';
import { faultFreePartner, requestFate } from './partner-weather.js';
import type { Wallet, WalletPass, WalletResult } from './wallet.js';
import { contentOf, refusalOf } from './wallet.js';

const lifetimesS = [8, 30, 120, 3_600] as const;

/** Grants tokens of different lives and knows which of them still count. */
class TokenIssuer {
  private readonly expiresAt = new Map<string, number>();

  constructor(
    private readonly timeline: Timeline,
    private readonly chance: Chance,
  ) {}

  grant(): HttpResult {
    const lifetimeS = this.chance.pick(lifetimesS);
    const token = `token-${this.expiresAt.size + 1}`;
    this.expiresAt.set(token, this.timeline.now + lifetimeS * 1_000);
    return answered(200, { access_token: token, token_type: 'Bearer', expires_in: lifetimeS });
  }

  isValid(token: string | null): boolean {
    return (this.expiresAt.get(token ?? '') ?? 0) > this.timeline.now;
  }
}

type Bodies = readonly [object, ...object[]];

const worded: Bodies = [
  { message: 'Validation failed: card is blocked' },
  { message: 'Accepted' },
  { success: false, message: 'Unknown member' },
];

const wordless: Bodies = [
  {},
  { success: false },
  { status: 'maintenance' },
  { data: {} },
  { passId: null, serialNumber: '', transactionId: null },
  { error: { code: 'CARD_BLOCKED' } },
];

/** A success with an object that proves nothing. @param real what it was really answered with; null: it was not done */
function hollowAnswer({ name }: PartnerCall, real: HttpResult | null, chance: Chance): HttpResult {
  const wrapped = real === null ? [] : [{ data: JSON.parse(Buffer.from(real.body).toString('utf8')) as unknown }];
  // A message is all that a schedule is answered with (partner-api.md 4.4): there it would prove something.
  const bodies: Bodies = name === 'schedule-update' ? [...wordless, ...wrapped] : [...wordless, ...wrapped, ...worded];
  return answered(chance.pick([200, 200, 201, 202, 207]), chance.pick(bodies));
}

/** Somebody else's pass, an invented one where there is nobody else. */
function strangerAnswer(strangers: readonly WalletPass[], chance: Chance): HttpResult {
  const passId = chance.between(900_000, 999_999);
  const passdata = { metaData: { memberId: `stranger-${passId}` }, points: 0 };
  return answered(200, chance.pickAny(strangers) ?? { passId, serialNumber: `SN${passId}`, passdata });
}

/** Every answer names its request: so the judge knows which attempt it was for. */
const requestIdHeader = 'x-request-id';

type Fates<Answer> = Readonly<Partial<Record<RequestFate, Answer>>>;

const page = '<!doctype html><html><title>Maintenance</title><h1>We will be back soon</h1></html>';

/** Refusals of what was not done, in words that a duplicate's may have, too. */
function alreadyBusy(chance: Chance, call: PartnerCall, key: string | null): HttpResult {
  const name = key ?? call.uniqueId ?? '';
  const message = chance.pick([
    `receipt ${name} is already being processed, try again later`,
    `Conflict: the card is being changed; receipt ${name} was not stored`,
    `Attribute receipt is fine, but the card of ${name} has already expired`,
    'The program has already ended',
    `${name}: the request was already cancelled`,
  ]);
  return answered(chance.pick([400, 409, 422]), { message });
}

/** A success that shows another transaction. @param real what it was really answered with; null: it was not done */
function otherwiseAnswer({ target, body }: PartnerCall, real: HttpResult | null, chance: Chance): HttpResult {
  const done = real?.status === 200 ? (JSON.parse(Buffer.from(real.body).toString('utf8')) as object) : {};
  const amount = Number(body['amount']);
  const transactionId = chance.between(900_000, 999_999);
  const asked = { transactionId, transactionTypeId: Number(target), amount, transactionDate: body['transactionDate'] };
  const change = chance.pick<object>([
    { amount: amount / 10 },
    { amount: amount + 0.01 },
    { amount: -amount },
    { amount: String(amount * 100) },
    { transactionTypeId: Number(target) + 1 },
    { transactionDate: '2020-01-01T00:00:00.000Z' },
    { attributes: { receipt: 'ANOTHER-1' }, amount: 0 },
  ]);
  return answered(chance.pick([200, 200, 201]), { ...asked, ...done, ...change });
}

/** A refusal as duplicate, of what the partner has refused, voided or not decided on: there is nothing of it. */
function failedDuplicate(chance: Chance, key: string): HttpResult {
  const message = `Attribute receipt must be unique: ${key}`;
  const body = chance.pick<object>([
    { message: `${message} (transaction 991, status DECLINED)` },
    { message: `${key} has already been used by a voided transaction` },
    { message: `Duplicate value ${key} for receipt; the previous request ended with error 500` },
    { message: `Receipt ${key} has already been submitted and awaits approval` },
    { message, transactionId: 991, status: 'DECLINED' },
    { message, transaction: { state: 'cancelled' } },
  ]);
  return answered(chance.pick([400, 409, 422]), body);
}

const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
const codingNames = Object.keys(codings) as (keyof typeof codings)[];

/** As a proxy passes an answer on that compresses what nobody asked to have compressed. */
function inCoding(result: HttpResult, chance: Chance): HttpResult {
  const coding = chance.pick(codingNames);
  return { ...result, headers: { ...result.headers, 'content-encoding': coding }, body: codings[coding](result.body) };
}

/** As an older server writes it, with a letter that is no ASCII, and with or without a word of its charset. */
function inLatin1(result: HttpResult, chance: Chance): HttpResult {
  const text = result.body.toString('utf8');
  const written = `{"path":"/brände/ü",${text.slice(1)}`;
  const body = Buffer.from(written, 'latin1');
  if (!text.startsWith('{"') || body.toString('latin1') !== written) return result;
  const charset = chance.happens(0.8) ? '; charset=ISO-8859-1' : '';
  return { ...result, headers: { ...result.headers, 'content-type': `application/json${charset}` }, body };
}

/** Nothing was done. */
const undone: Fates<(chance: Chance, now: number) => HttpResult | null> = {
  tooMany,
  errorBefore: serverError,
  dropBefore: () => lost('reset'),
  hangBefore: () => null,
  maintenance: () => answered(200, page, { 'content-type': 'text/html; charset=utf-8' }),
};

/** It was done, but the answer does not say so. */
const spoilt: Fates<(chance: Chance) => HttpResult | null> = {
  errorAfter: serverError,
  dropAfter: () => lost('reset'),
  hangAfter: () => null,
  truncated: () => lost('truncated', 200),
  oversized: () => lost('response-too-large', 200),
  garbage: () => answered(200, '{"passId": 5, <!-- maintenance -->'),
  empty: () => answered(200, ''),
  redirect: () => answered(302, '', { location: 'https://elsewhere.example/' }),
};

const workMsMax = 40;
const twiceMsMax = 200;

/** Bounds of what the partner may do behind our backs; together below `inFlightMs`. */
interface PartnerDelays {
  readonly lateMsMax: number;
  readonly staleMsMax: number;
}

/** `null`: there will be no answer. */
type AnswerRequest = (result: HttpResult | null) => void;

/** A request on record, completed when it ends. */
type RequestNote = { -readonly [Key in keyof PartnerRequest]: PartnerRequest[Key] };

interface Visit {
  readonly call: PartnerCall;
  readonly note: RequestNote;
  readonly arrivedAt: number;
  readonly requestId: string;
}

type Feint = 'hollow' | 'foreign' | 'otherwise';

const isFeint = (fate: RequestFate): fate is Feint => ['hollow', 'foreign', 'otherwise'].includes(fate);

/** The partner of a world: serves requests from whoever sends them, dead or alive, with all its faults. */
export class PartnerServer {
  readonly weather = faultFreePartner();
  readonly requests: RequestNote[] = [];
  /** How many requests met what. */
  readonly strikes: { [fate in RequestFate]?: number } = {};
  private readonly tokens: TokenIssuer;

  constructor(
    readonly wallet: Wallet,
    private readonly around: { readonly timeline: Timeline; readonly chance: Chance; readonly delays: PartnerDelays },
  ) {
    this.tokens = new TokenIssuer(around.timeline, around.chance.fork('tokens'));
  }

  receive(request: HttpRequest, answer: AnswerRequest): void {
    const { timeline, chance } = this.around;
    const call = readCall(request);
    const requestId = `r${this.requests.length + 1}`;
    const visit = { call, requestId, arrivedAt: timeline.now, note: this.noted(call, requestId) };
    const fate = requestFate(call.name, this.weather, chance);
    this.strikes[fate] = (this.strikes[fate] ?? 0) + 1;
    timeline.trace.note(timeline.now, `partner ${requestId} ${call.name} ${call.uniqueId} ${fate}`);
    timeline.after(chance.unit() * workMsMax, `partner serves ${requestId}`, () => {
      const result = this.serve(visit, fate);
      visit.note.endedAt = timeline.now;
      visit.note.status = result?.phase === 'answered' ? result.status : null;
      visit.note.retryAfterMs = retryAfterMsOf(result, timeline.now);
      if (result === null) {
        answer(null);
        return;
      }
      const arriving = result.phase === 'answered' ? this.rewritten(result) : result;
      answer({ ...arriving, headers: { ...arriving.headers, [requestIdHeader]: requestId } });
    });
  }

  /** The bytes that arrive of an answer. */
  private rewritten(result: HttpResult): HttpResult {
    const { chance } = this.around;
    const written = chance.happens(this.weather.otherCharset) ? inLatin1(result, chance) : result;
    return chance.happens(this.weather.coded) ? inCoding(written, chance) : written;
  }

  /** Another system's call: served at once, in whatever weather. */
  serveOther({ method, path, body, onlyWhere, requestId }: OtherRequest): void {
    const { timeline } = this.around;
    const call = readCall({ method, path, body: JSON.stringify(body), headers: {} });
    if (onlyWhere !== undefined && this.wallet.passAt(call, timeline.now) === undefined) return;
    const result = this.wallet.apply(call, { arrivedAt: timeline.now, now: timeline.now, requestId });
    timeline.trace.note(timeline.now, `partner ${requestId} ${call.name} ${call.uniqueId} ${result.kind}`);
  }

  /** The answer has reached who asked, and was waited for. */
  heard({ headers: { [requestIdHeader]: requestId } }: HttpResult): void {
    const note = this.requests.find((request) => request.requestId === requestId);
    if (note !== undefined) note.heardAt = this.around.timeline.now;
  }

  private serve(visit: Visit, fate: RequestFate): HttpResult | null {
    const { call } = visit;
    const { chance, timeline } = this.around;
    if (call.name === 'token') return fate === 'tokenDown' ? serverError(chance) : this.tokens.grant();
    if (fate === 'unauthorized' || !this.tokens.isValid(call.token)) return answered(401, { message: 'Unauthorized' });
    if (this.weather.systemic === call.name) return answered(403, { message: 'This client may not do that' });
    if (fate === 'maintenance') visit.note.isFeigned = true;
    const refusal = undone[fate];
    return refusal === undefined ? this.work(visit, fate) : refusal(chance, timeline.now);
  }

  private work(visit: Visit, fate: RequestFate): HttpResult | null {
    const { chance, timeline } = this.around;
    if (fate === 'commitLate') {
      this.applyLater(visit);
      return chance.pick([null, lost('reset'), serverError(chance)]);
    }
    if (fate === 'alreadyBusy' || fate === 'failedDuplicate') return this.refuse(visit, fate);
    if (isFeint(fate)) return this.feign(visit, fate);
    const done = this.act(visit);
    // What was refused is not done a second time.
    if (fate === 'commitTwice' && typeof done === 'object' && done.kind === 'done') {
      timeline.after(chance.unit() * twiceMsMax, `partner again ${visit.requestId}`, () => void this.act(visit));
    }
    const result = this.answerTo(visit, done);
    const spoil = spoilt[fate];
    return spoil === undefined ? result : spoil(chance);
  }

  /** A success, whatever became of the call; it may never have been carried on. */
  private feign(visit: Visit, fate: Feint): HttpResult {
    if (fate === 'otherwise') visit.note.isOtherwise = true;
    else visit.note.isFeigned = true;
    const { chance, timeline } = this.around;
    const real = chance.happens(0.5) ? this.answerTo(visit, this.act(visit)) : null;
    if (fate === 'hollow') return hollowAnswer(visit.call, real, chance);
    if (fate === 'otherwise') return otherwiseAnswer(visit.call, real, chance);
    return strangerAnswer(this.wallet.strangersOf(visit.call, timeline.now), chance);
  }

  /** What the partner takes once has failed there, and holds the value: it says so of whatever is sent with it. */
  private refuse(visit: Visit, fate: 'alreadyBusy' | 'failedDuplicate'): HttpResult {
    const key = this.wallet.keyOf(visit.call);
    if (fate === 'alreadyBusy') return alreadyBusy(this.around.chance, visit.call, key);
    visit.note.isOfFailed = true;
    return failedDuplicate(this.around.chance, key ?? visit.requestId);
  }

  private applyLater(visit: Visit): void {
    const { chance, timeline, delays } = this.around;
    const delayMs = chance.unit() * delays.lateMsMax;
    timeline.after(delayMs, `partner late ${visit.requestId}`, () => void this.act(visit));
  }

  /** What the call comes to now, its effect included. */
  private act({ call, arrivedAt, requestId }: Visit): WalletResult | 'closed-store' | 'read' {
    if (call.name === 'lookup' || call.name === 'list') return 'read';
    const { attributes } = call.body as { readonly attributes?: { readonly store?: string } };
    if (attributes?.store === closedStore) return 'closed-store';
    if (!this.seesPass(call)) return { kind: 'no-pass' };
    const { timeline } = this.around;
    const result = this.wallet.apply(call, { arrivedAt, now: timeline.now, requestId });
    timeline.trace.note(timeline.now, `partner ${requestId} ${result.kind}`);
    return result;
  }

  /** A pass that was issued a moment ago may not be seen everywhere. */
  private seesPass(call: PartnerCall): boolean {
    if (call.name !== 'transaction' && call.name !== 'reward') return true;
    const { timeline, delays, chance } = this.around;
    const staleMs = chance.happens(this.weather.stalePass) ? chance.unit() * delays.staleMsMax : 0;
    return this.wallet.passAt(call, timeline.now - staleMs) !== undefined;
  }

  private answerTo({ call }: Visit, result: ReturnType<PartnerServer['act']>): HttpResult {
    if (result === 'read') return this.look(call);
    if (result === 'closed-store') return answered(400, { message: `Store ${closedStore} is not allowed` });
    if (result.kind === 'done') return answered(200, result.answer);
    const { status, message } = refusalOf(result, call.uniqueId ?? '', this.around.chance);
    return answered(status, { message });
  }

  private look(call: PartnerCall): HttpResult {
    const { chance, timeline, delays } = this.around;
    const staleMs = chance.happens(this.weather.staleLookup) ? chance.unit() * delays.staleMsMax : 0;
    const pass = this.wallet.passAt(call, timeline.now - staleMs);
    if (call.name === 'list') return answered(200, { data: [], totalCount: pass === undefined ? 0 : 1 });
    if (pass !== undefined) return answered(200, pass);
    const { status, message } = refusalOf({ kind: 'no-pass' }, call.uniqueId ?? '', chance);
    return answered(status, { message });
  }

  private noted(call: PartnerCall, requestId: string): RequestNote {
    const { name, program, uniqueId, target } = call;
    const note: RequestNote = {
      operation: name,
      program,
      uniqueId,
      key: this.wallet.keyOf(call),
      target,
      content: contentOf(call),
      arrivedAt: this.around.timeline.now,
      endedAt: null,
      heardAt: null,
      status: null,
      retryAfterMs: null,
      requestId,
    };
    this.requests.push(note);
    return note;
  }
}

function retryAfterMsOf(result: HttpResult | null, now: number): number | null {
  const text = result?.headers['retry-after'];
  if (text === undefined) return null;
  return /^\d+$/.test(text) ? Number(text) * 1_000 : Math.max(0, Date.parse(text) - now);
}

const hopMsMax = 15;
/** Far below `inFlightMs`: what is on its way when sight of it is lost arrives soon. */
const slowHopMsMax = 900;
const slowAnswerMsMax = 4_000;
const connectMsMax = 800;

/**
 * A process' way to the partner. Once a request is on its way nothing calls it back: it arrives although its sender has
 * died, stands still or has given up.
 */
export class SimTransport implements HttpTransport {
  constructor(
    private readonly server: PartnerServer,
    private readonly process: SimProcess,
    private readonly around: { readonly timeline: Timeline; readonly chance: Chance },
  ) {}

  send(request: HttpRequest): Promise<HttpResult> {
    return new Promise((resolve) => {
      let hasEnded = false;
      const end = (result: HttpResult): void => {
        if (hasEnded) return;
        hasEnded = true;
        this.server.heard(result);
        cancel();
        resolve(result);
      };
      const cancel = this.process.after(request.timeoutMs, 'http timeout', () => end(lost('timeout')));
      this.depart(request, end);
    });
  }

  private depart(request: HttpRequest, end: (result: HttpResult) => void): void {
    const { timeline, chance } = this.around;
    const { weather } = this.server;
    if (weather.isDown || chance.happens(weather.failsToConnect)) {
      const refused = neverConnected(chance);
      this.process.after(chance.unit() * connectMsMax, 'http not connected', () => end(refused));
      return;
    }
    const isSlow = chance.happens(weather.isSlow);
    timeline.after(chance.unit() * (isSlow ? slowHopMsMax : hopMsMax), `${this.process.name} http`, () => {
      this.server.receive(request, (result) => {
        if (result === null) return;
        const delayMs = chance.unit() * (isSlow ? slowAnswerMsMax : hopMsMax);
        this.process.after(delayMs, `http ${result.status} ${result.phase}`, () => end(result));
      });
    });
  }
}
