import { canonicalJson } from './canonical-json.js';
import type { ProfileMarks } from '../profile/profile-marks.js';
import type { Operation } from '../operation.js';
import type { JsonValue, PartnerCommand } from './partner-command.js';
import { commandOfAmount } from './route-result.js';

/** An intent as it was recorded: what was to be sent, and the event that asked for it. */
export interface RecordedPlan {
  readonly command: PartnerCommand;
  /** The record as it arrived: headers as JSON text, value as text. */
  readonly record: { readonly headers: string; readonly value: string };
  /** When it came here, epoch ms. */
  readonly recordedAt: number;
  /** Of an enrolment: what has been said of its member; null: it was not looked up. */
  readonly marks: ProfileMarks | null;
}

/** An intent that was recorded without a call, for no file mapped one. */
export interface UnmappedIntent extends Pick<RecordedPlan, 'record' | 'recordedAt'> {
  /** Of what tells a pass that was found of its member's last enrolment: what has been said of the member; null: it is none. */
  readonly marks: ProfileMarks | null;
  readonly operation: Operation;
  /** Whose it is, whomever its event names. */
  readonly memberId: string;
  /** What was left when it was recorded, an exact decimal without a sign; null: it has none. */
  readonly amount: string | null;
}

/** The programs file of now: plans what is to be sent from the event once more. */
export interface EventPlanner {
  /** Of that file, hex: what it has routed is planned already. */
  readonly programsHash: string;
  /** Pure. What the file does not say any more stays as it was recorded. */
  readonly plan: (recorded: RecordedPlan) => PartnerCommand;
  /** Pure. The one call that the file maps the event to; null: it maps none, or several. */
  readonly planUnmapped: (unmapped: UnmappedIntent) => PartnerCommand | null;
  /** Pure. Whether a program sends what was kept while its member was away, once that has a card again. */
  readonly sendsKept: (program: string) => boolean;
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one as JsonValue) === canonicalJson(other as JsonValue);
}

function merged(planned: unknown, base: unknown, current: unknown): unknown {
  if (isSame(base, current)) return planned;
  if (!isObject(base) || !isObject(current) || !isObject(planned)) return current;
  const names = new Set([...Object.keys(planned), ...Object.keys(base), ...Object.keys(current)]);
  const parts = [...names].map((name): [string, unknown] => [name, merged(planned[name], base[name], current[name])]);
  return Object.fromEntries(parts.filter(([, value]) => value !== undefined));
}

/** How a command was planned, and what has become of that since, by people and by what is newer. */
export interface Revised {
  readonly base: PartnerCommand;
  readonly current: PartnerCommand;
}

/** What a plan says of the total goes with the amount that has become of it since. */
function ofAmountOf(current: PartnerCommand, plan: PartnerCommand): PartnerCommand {
  if (current.operation !== 'transaction' || plan.operation !== 'transaction') return plan;
  const amount = current.amount.replace('-', '');
  return amount === plan.amount.replace('-', '') ? plan : commandOfAmount(plan, amount);
}

/** What has become of a plan since stands on top of another plan, path by path. Null: that changes nothing. */
export function onTopOf(planned: PartnerCommand, { base, current }: Revised): PartnerCommand | null {
  if (isSame(planned, base)) return null;
  const command = merged(ofAmountOf(current, planned), ofAmountOf(current, base), current) as PartnerCommand;
  return isSame(command, current) ? null : command;
}
