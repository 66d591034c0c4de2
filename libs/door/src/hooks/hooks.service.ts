import { Injectable } from '@nestjs/common';

import type { Accepted, Hook } from '#contracts';
import { FailedLogins, httpProblem } from '#operations';
import { Clock } from '#platform';

import { noKey } from '../cloud-events/events.service.js';
import type { HttpRequest } from '../cloud-events/read-http-event.js';
import { Door } from '../door.js';
import { refused } from '../door-limits.js';
import type { DoorSource } from '../door-source.js';
import { DoorSources } from '../door-source.js';
import { exactDocument } from '../exact-body.js';
import { recordKeyOf } from '../record-key.js';
import { HookSecrets } from './hook-secrets.js';
import { judgeSignature } from './signatures.js';

/** A source that takes webhooks. */
type HookedSource = DoorSource & { readonly topic: string; readonly key: string; readonly hook: Hook };

const isHooked = (source: DoorSource): source is HookedSource =>
  source.hook !== null && source.key !== null && source.topic !== null;

export interface HookRequest extends HttpRequest {
  /** From where it comes. */
  readonly address: string;
}

export interface AcceptedHook {
  readonly accepted: Accepted;
  /** What the vendor wants to read instead; null: the answer as it is. */
  readonly text: string | null;
}

const acceptedText: Partial<Record<Hook['scheme'], string>> = { adyen: '[accepted]' };

type HeaderTexts = Readonly<Record<string, string>>;

/** One text by name: what comes several times as Node joins it. */
function textsOf(headers: HttpRequest['headers']): HeaderTexts {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}

/** The headers of a record: those of the webhook that are kept, and what its body is. */
function keptHeaders({ headers: names }: Hook, sent: HeaderTexts): HeaderTexts {
  const kept = names.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]] as const]));
  return { ...Object.fromEntries(kept), 'content-type': 'application/json' };
}

interface Received {
  readonly name: string;
  readonly headers: HeaderTexts;
  readonly body: Uint8Array;
  readonly address: string;
}

/** Judges signatures, and slows down clients that guess them. */
@Injectable()
export class HookSignatures {
  private readonly failures: FailedLogins;

  constructor(
    private readonly secrets: HookSecrets,
    private readonly clock: Clock,
  ) {
    this.failures = new FailedLogins(clock);
  }

  /** @throws {ApiProblem} 401, 429 once too many were wrong, 503 while no secret can be read */
  async require(hook: Hook, { name, headers, body, address }: Received): Promise<void> {
    const secrets = await this.secrets.of(hook);
    if (secrets.length === 0) {
      throw refused(503, 'no-secret', 'No secret of this hook can be read', { retrySeconds: 5 });
    }
    const verdict = judgeSignature(hook, secrets, { headers, body, now: this.clock.now() });
    if (verdict.ok) return;
    this.failures.count({ address, credential: `hook ${name}` });
    throw refused(401, 'signature', 'It is not signed as it should be', { detail: verdict.rule });
  }
}

/** Signed webhooks, each as it came, into the topic of its source. */
@Injectable()
export class HooksService {
  constructor(
    private readonly sources: DoorSources,
    private readonly signatures: HookSignatures,
    private readonly door: Door,
  ) {}

  /** @throws {ApiProblem} */
  async accept(name: string, { body, address, ...request }: HookRequest): Promise<AcceptedHook> {
    const source = this.sources
      .current()
      .filter(isHooked)
      .find((each) => each.name === name);
    if (source === undefined) throw refused(404, 'no-such-hook', 'There is no such hook');
    const headers = textsOf(request.headers);
    await this.door.counting(name, () => this.signatures.require(source.hook, { name, headers, body, address }));
    return this.door.within(`hook ${name}`, name, () => this.write(source, body, headers));
  }

  private async write(source: HookedSource, body: Uint8Array, sent: HeaderTexts): Promise<AcceptedHook> {
    const document = exactDocument(body);
    if (document === undefined) throw httpProblem(400, 'the body is no JSON');
    const { topic, hook } = source;
    const headers = keptHeaders(hook, sent);
    const key = recordKeyOf(source.key)({ document, record: { topic, headers } });
    if (key === null) throw noKey();
    const [receipt = ''] = await this.door.write(source, [{ key, value: Buffer.from(body), headers }]);
    const accepted = { accepted: [{ source: source.name, receipt, id: null }] };
    return { accepted, text: acceptedText[hook.scheme] ?? null };
  }
}
