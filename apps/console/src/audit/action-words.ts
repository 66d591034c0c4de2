import { operationText } from '../components/operation-words.js';
import { isKind, jobKinds, kindNames } from '../work/job-kinds.js';

const steerings = { start: 'began', pause: 'paused', resume: 'resumed', cancel: 'cancelled' } as const;

const ofJobs = kindNames.flatMap((kind) => {
  const name = jobKinds[kind].name.toLowerCase();
  const one = `${/^[ae]/.test(name) ? 'an' : 'a'} ${name}`;
  return Object.entries(steerings).map(([action, did]) => [`${kind}.${action}`, `${did} ${one}`]);
});

/** What an action of the audit was, in words; the code stays beside it, since the API and the log know that. */
const words: Readonly<Record<string, string>> = {
  ...(Object.fromEntries(ofJobs) as Readonly<Record<string, string>>),
  'export.read': 'read an export with personal data',
  'intent.cancel': 'cancelled an intent',
  'intent.correct': 'corrected an intent',
  'intent.replay': 'had an intent sent again',
  'intent.resolve': 'resolved an intent',
  'keys.rotate': 'rotated keys',
  'member.card-links': 'saw the addresses of a card',
  'member.erase': 'erased a member',
  'member.partner': 'looked a member up at the partner',
  'member.unmask': 'saw a member unmasked',
  'notices.trial': 'sent a trial of notices',
  'passes.list': 'read the partner’s listing',
  'pause.lift': 'resumed',
  'pause.set': 'paused',
  'programs.reload': 'had the programs file read again',
  'provision.resolve': 'said what became of a set-up call',
  'quarantine.discard': 'discarded a record',
  'quarantine.resubmit': 'resubmitted a record',
  'quarantine.unmask': 'saw a record unmasked',
  'reconcile.reissue': 'issued a pass anew',
  'replay.plan': 'planned a replay',
  'resolve.plan': 'planned a resolution',
  'correct.plan': 'planned a correction',
  'cancel.plan': 'planned a cancellation',
  'settle.plan': 'planned a settlement',
  'ask.plan': 'planned a look',
  'resubmit.plan': 'planned a resubmission',
  'discard.plan': 'planned a discard',
  'reread.settle': 'settled a kept answer',
};

export const knownActions: readonly string[] = Object.keys(words).toSorted();

export function actionWords(action: string): string {
  return words[action] ?? action.replaceAll(/[.-]/g, ' ');
}

type Detail = Readonly<Record<string, unknown>>;

const pathsShown = 3;

/** What was decided, where the detail of the entry tells it; null: it does not. */
function decidedIn(action: string, detail: Detail): string | null {
  const { as, changed, notDelivered } = detail;
  if (action === 'intent.resolve' && typeof as === 'string') return `resolved an intent as ${as.replace('-', ' ')}`;
  if (action === 'intent.cancel' && notDelivered === true) return 'cancelled an intent as not delivered';
  if (action !== 'intent.correct' || !Array.isArray(changed)) return null;
  const paths = changed.filter((path) => typeof path === 'string');
  return `corrected ${paths.slice(0, pathsShown).join(', ')}${paths.length > pathsShown ? ' and more' : ''}`;
}

/** What was done, and what was decided by it. */
export function entryWords({ action, detail }: Pick<Entry, 'action' | 'detail'>): string {
  const words = (detail === null ? null : decidedIn(action, detail)) ?? actionWords(action);
  return detail?.force === true ? `${words}, by force` : words;
}

export type AuditTarget =
  | { readonly kind: 'intent' | 'record'; readonly id: string }
  | { readonly kind: 'job'; readonly jobKind: string; readonly id: string }
  | { readonly kind: 'member'; readonly program: string; readonly memberId: string }
  | { readonly kind: 'text'; readonly text: string };

interface Entry {
  readonly action: string;
  readonly intent: string | null;
  readonly member: { readonly program: string; readonly memberId: string } | null;
  readonly detail: Detail | null;
}

const named = (detail: Detail, name: string): string | null => {
  const value = detail[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
};

function textOf(detail: Detail): string {
  const parts = ['program', 'operation', 'hash'].flatMap((name) => {
    const text = named(detail, name);
    return text === null ? [] : [name === 'operation' ? operationText(text) : text];
  });
  return parts.join(', ');
}

function targetIn(action: string, detail: Detail): AuditTarget {
  const [kind = ''] = action.split('.');
  const job = isKind(kind) ? named(detail, 'job') : null;
  if (job !== null) return { kind: 'job', jobKind: kind, id: job };
  const record = named(detail, 'quarantine');
  return record === null ? { kind: 'text', text: textOf(detail) } : { kind: 'record', id: record };
}

/** What it was done to. */
export function targetOf({ action, intent, member, detail }: Entry): AuditTarget {
  if (intent !== null) return { kind: 'intent', id: intent };
  if (member !== null) return { kind: 'member', ...member };
  return detail === null ? { kind: 'text', text: '' } : targetIn(action, detail);
}
