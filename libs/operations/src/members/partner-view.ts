import type { PartnerView, Program } from '#contracts';
import type { LookProof, LookupKey, PartnerCommand, SeenPass } from '#intents/core';
import { compareValues, expectedPass, judgeLook, passNameOf, retryAfterMsMax, wantedPass } from '#intents/core';
import type { LookupReport, PassLookup } from '#gateway';
import type { ReadHistory } from '#intents';
import { intentId, loadHistory, reportCooldown } from '#intents';

import type { ApiSettings } from '../api-settings.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { loadTimeline } from '../intents/timeline.js';
import { maskPass, maskPassValue } from '../masking/shown-documents.js';
import { loadSentContents } from '../jobs/kinds/reconcile/sent-contents.js';
import { isoTime } from '../requests/read-request.js';
import type { MemberState } from './member-store.js';

/** A member with everything that the partner's answer is held against. */
export interface AskedMember {
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

async function openIntents({ database, keys }: ApiSettings, intents: readonly ListedIntent[]): Promise<OpenIntent[]> {
  const open = intents.filter(({ status }) => !settled.has(status)).slice(0, openIntentsMax);
  const found: OpenIntent[] = [];
  for (const intent of open) {
    const command = (await loadTimeline(database, intent, keys))?.command ?? null;
    found.push({ intent, command, history: await loadHistory(database, intent) });
  }
  return found;
}

function seenIn({ report, listed }: Answered): SeenPass {
  return report.kind === 'absent' ? { kind: 'absent', listed } : report;
}

/** What the answer proves of one intent, as delivery would take it. */
function proofOf({ intent, command, history }: OpenIntent, answered: Answered, about: Asking): LookProof | null {
  const { events, quietPeriodMs } = history;
  const subject = {
    ...{ operation: intent.operation, command },
    ...(quietPeriodMs === undefined ? {} : { quietPeriodMs }),
  };
  return judgeLook({ events, subject, program: about.program, seen: seenIn(answered), at: about.at });
}

interface Asking {
  readonly program: Program;
  /** When the partner answered, epoch ms. */
  readonly at: number;
}

/** As delivery looks the member up: its newest intent that says how. */
async function lookupKeyOf({ database, keys }: ApiSettings, asked: AskedMember): Promise<LookupKey | undefined> {
  const { config, member, intents } = asked;
  if (config.lookup.by === 'person_id') {
    const { personId } = passNameOf({ personId: member.personId });
    return personId === undefined ? undefined : { parameter: 'person_id', value: personId };
  }
  if (config.lookup.by !== 'email') return undefined;
  for (const intent of intents.slice(0, openIntentsMax)) {
    const by = (await loadTimeline(database, intent, keys))?.command?.by;
    if (by !== undefined) return by;
  }
  return undefined;
}

/** Which pass is asked for. */
export async function lookupOf(settings: ApiSettings, asked: AskedMember): Promise<PassLookup> {
  const { brandId, programId, uniqueIdKey } = asked.config;
  const by = await lookupKeyOf(settings, asked);
  return { brandId, programId, uniqueId: asked.memberId, uniqueIdKey, ...(by === undefined ? {} : { by }) };
}

interface Answered {
  readonly report: LookupReport;
  /** Passes that the listing counts where no pass was found. */
  readonly listed: number | null;
}

/** Asks the partner, and its listing where there is no pass. A cooldown that it asks for holds for delivery as well. */
export async function askPartner(settings: ApiSettings, program: string, lookup: PassLookup): Promise<Answered> {
  const { partner, database, clock } = settings;
  if (partner === null) throw new Error('nobody can be asked');
  const { calls, timeoutMs } = partner;
  const report = await calls.findPass(lookup, { timeoutMs });
  const { brandId, programId, uniqueId } = lookup;
  const counted =
    report.kind === 'absent' ? await calls.countPasses({ brandId, programId, uniqueId }, { timeoutMs }) : null;
  const failed = [report, counted].find((each) => each?.kind === 'failed');
  const retryAfterMs = failed?.kind === 'failed' ? failed.retryAfterMs : null;
  if (retryAfterMs !== null) {
    await reportCooldown(database, program, clock.now() + Math.min(retryAfterMs, retryAfterMsMax));
  }
  return { report, listed: counted?.kind === 'counted' ? counted.totalCount : null };
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

async function otherValues(
  { database, keys }: ApiSettings,
  { member }: AskedMember,
  report: LookupReport,
): Promise<PartnerView['differences']> {
  if (report.kind !== 'found' || member.nextSeq !== null) return [];
  const histories = await loadSentContents(database, [member], keys);
  const sent = histories.get(member.laneId)?.sent ?? [];
  return compareValues(expectedPass(sent), report.pass)
    .filter(({ isSame }) => isSame === false)
    .map(masked);
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

/** The partner's answer beside ours. */
export async function toPartnerView(
  settings: ApiSettings,
  asked: AskedMember,
  answered: Answered,
): Promise<PartnerView> {
  const { report } = answered;
  const { program, memberId, config, member, intents } = asked;
  const at = settings.clock.now();
  const pass = report.kind === 'found' ? report.pass : {};
  const open = await openIntents(settings, intents);
  const [names, values] = [otherNames(asked, report), await otherValues(settings, asked, report)];
  return {
    ...{ program, memberId, at: isoTime(at) },
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
        proof: proofOf(one, answered, { program: config, at }),
      })),
    },
    partner: partnerOf(answered),
    differences: [...names, ...values],
  };
}
