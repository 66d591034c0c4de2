import { Injectable } from '@nestjs/common';

import type { PartnerView, Program } from '#contracts';
import { scriptsOf } from '#contracts';
import type { LookupReport, PassLookup } from '#gateway';
import type { ReadHistory } from '#intents';
import { intentId } from '#intents';
import type { LookProof, LookupKey, PartnerCommand, SeenPass } from '#intents/core';
import { compareValues, expectedPass, judgeLook, passNameOf, wantedPass } from '#intents/core';

import { AccessAudit } from '../access/access-audit.js';
import type { Actor } from '../access/operator.js';
import { IntentLookup, noSuchIntent } from '../intents/intent-lookup.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { TimelineRepository } from '../intents/timeline.js';
import { maskPass, maskPassValue } from '../masking/shown-documents.js';
import type { Answered } from '../partner-reading/partner-questions.js';
import { PartnerQuestions, requireKnown } from '../partner-reading/partner-questions.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { isoTime } from '../requests/read-request.js';
import type { MemberState } from './member-repository.js';
import { MemberRepository } from './member-repository.js';
import type { MemberName } from './member-service.js';
import { noSuchMember, shownIntentsMax } from './member-service.js';

/** A member with everything that the partner's answer is held against. */
interface AskedMember {
  readonly program: string;
  readonly memberId: string;
  readonly config: Program;
  readonly member: MemberState;
  /** The newest, the newest first. */
  readonly intents: readonly ListedIntent[];
}

/** Intents that are not settled, and are shown with what they want. */
const openIntentsMax = 20;
const settled: ReadonlySet<string> = new Set(['delivered', 'cancelled']);

interface OpenIntent {
  readonly intent: ListedIntent;
  readonly command: PartnerCommand | null;
  readonly history: ReadHistory;
}

function seenIn({ report, listed }: Answered): SeenPass {
  return report.kind === 'absent' ? { kind: 'absent', listed } : report;
}

/** What the answer proves of one intent, as delivery would take it. */
function proofOf({ intent, command, history }: OpenIntent, answered: Answered, program: Program): LookProof | null {
  const { events, quietPeriodMs } = history;
  const subject = {
    ...{ operation: intent.operation, command },
    ...(quietPeriodMs === undefined ? {} : { quietPeriodMs }),
  };
  return judgeLook({ events, subject, program, seen: seenIn(answered), at: answered.at });
}

type Compared = PartnerView['differences'][number];

const masked = ({ path, ours, partner }: Compared): Compared => ({
  path,
  ours: maskPassValue(path, ours),
  partner: maskPassValue(path, partner),
});

/** Where another pass is shown than the one we know. */
function otherNames({ member }: AskedMember, report: LookupReport): PartnerView['differences'] {
  if (report.kind !== 'found' || member.pass === null) return [];
  const [known, shown] = [passNameOf(member.pass), passNameOf(report.pass)];
  return (['passId', 'serialNumber'] as const).flatMap((path) => {
    const [ours, partner] = [known[path], shown[path]];
    return ours === undefined || partner === undefined || ours === partner ? [] : [masked({ path, ours, partner })];
  });
}

function partnerOf({ report, listed }: Answered): PartnerView['partner'] {
  const { response, durationMs } = report.evidence;
  return {
    result: report.kind,
    code: report.kind === 'failed' ? report.code : null,
    status: response?.status ?? null,
    listed,
    pass: report.kind === 'found' ? maskPass(report.pass) : null,
    durationMs,
  };
}

/** What we know of a member, to hold the partner's answer against it. */
@Injectable()
export class MemberRecords {
  constructor(
    private readonly members: MemberRepository,
    private readonly intents: IntentLookup,
    private readonly timelines: TimelineRepository,
  ) {}

  /** @throws {ApiProblem} 404, also where it is no intent of that member */
  async read(name: MemberName, id: string | undefined, actor: Actor): Promise<Pick<AskedMember, 'member' | 'intents'>> {
    const first = id === undefined ? null : await this.ofMember(id, name, actor);
    const member = await this.members.state(name);
    if (member === null) throw noSuchMember();
    const { items } = await this.intents.list({ filter: name, programs: null, after: null, limit: shownIntentsMax });
    const others = items.filter(({ seq }) => seq !== first?.seq);
    return { member, intents: first === null ? items : [first, ...others] };
  }

  private async ofMember(id: string, { program, memberId }: MemberName, actor: Actor): Promise<ListedIntent> {
    const intent = await this.intents.show(await this.intents.find(id, actor));
    if (intent.program !== program || intent.memberId !== memberId) throw noSuchIntent();
    return intent;
  }

  /** Which pass is asked for: as delivery looks the member up. */
  async lookupOf(asked: AskedMember): Promise<PassLookup> {
    const { brandId, programId, uniqueIdKey } = asked.config;
    const by = await this.lookupKeyOf(asked);
    return { brandId, programId, uniqueId: asked.memberId, uniqueIdKey, ...(by === undefined ? {} : { by }) };
  }

  /** Of the newest intent that says how. */
  private async lookupKeyOf({ config, member, intents }: AskedMember): Promise<LookupKey | undefined> {
    if (config.lookup.by === 'person_id') {
      const { personId } = passNameOf({ personId: member.personId });
      return personId === undefined ? undefined : { parameter: 'person_id', value: personId };
    }
    if (config.lookup.by !== 'email') return undefined;
    for (const intent of intents.slice(0, openIntentsMax)) {
      const by = (await this.timelines.load(intent))?.command?.by;
      if (by !== undefined) return by;
    }
    return undefined;
  }

  /** The partner's answer beside ours. */
  async compare(asked: AskedMember, answered: Answered): Promise<PartnerView> {
    const { report, at } = answered;
    const { program, memberId, config, member, intents } = asked;
    const pass = report.kind === 'found' ? report.pass : {};
    const open = await this.openIntents(intents);
    const values =
      report.kind !== 'found' || member.nextSeq !== null ? [] : await this.otherValues(member, report.pass);
    return {
      ...{ program, memberId, ...scriptsOf(program, memberId), at: isoTime(at) },
      ours: {
        passKnown: member.passKnown,
        pass: member.pass === null ? null : maskPass(member.pass),
        isAtRest: member.nextSeq === null,
        open: open.map((one) => ({
          intent: intentId(one.intent),
          operation: one.intent.operation,
          status: one.intent.status,
          wants: compareValues(wantedPass(one.command), pass).map((value) => ({
            ...masked(value),
            isThere: value.isSame,
          })),
          proof: proofOf(one, answered, config),
        })),
      },
      partner: partnerOf(answered),
      differences: [...otherNames(asked, report), ...values],
    };
  }

  private async openIntents(intents: readonly ListedIntent[]): Promise<OpenIntent[]> {
    const open = intents.filter(({ status }) => !settled.has(status)).slice(0, openIntentsMax);
    const found: OpenIntent[] = [];
    for (const intent of open) {
      const command = (await this.timelines.load(intent))?.command ?? null;
      found.push({ intent, command, history: await this.members.historyOf(intent) });
    }
    return found;
  }

  private async otherValues(member: MemberState, pass: object): Promise<PartnerView['differences']> {
    return compareValues(expectedPass(await this.members.contentsOf(member)), pass)
      .filter(({ isSame }) => isSame === false)
      .map(masked);
  }
}

/** What the partner says of a member now, beside what we know. */
@Injectable()
export class PartnerViewService {
  constructor(
    private readonly members: MemberRecords,
    private readonly programs: ProgramsControl,
    private readonly partner: PartnerQuestions,
    private readonly audit: AccessAudit,
  ) {}

  /** The request itself leaves a trace. @param first an intent of theirs that is to be shown first @throws {ApiProblem} */
  async ask(
    name: MemberName,
    { reason, intent: first }: { readonly reason: string; readonly intent?: string | undefined },
    actor: Actor,
  ): Promise<PartnerView> {
    const { member, intents } = await this.members.read(name, first, actor);
    const config = requireKnown(this.programs.file().programs[name.program]);
    this.partner.requirePartner();
    await this.audit.record(actor, { action: 'member.partner', reason, laneId: member.laneId });
    const asked = { ...name, config, member, intents };
    const lookup = await this.members.lookupOf(asked);
    const answered = await this.partner.findPass({ name: name.program, program: config }, lookup);
    return this.members.compare(asked, answered);
  }
}
