import type { Answer } from '../api/api-types.js';

export type ApprovalView = Answer<'/approvals'>['items'][number];

const kinds: Readonly<Record<ApprovalView['kind'], { readonly name: string; readonly does: string }>> = {
  'forced-intent': {
    name: 'Force an intent',
    does: 'An intent is sent again, or settled, though that may do something twice at the partner.',
  },
  'forced-replay': {
    name: 'Force a replay',
    does: 'Many intents are sent again, also those that came back each time before.',
  },
  'personal-export': {
    name: 'Export with personal data',
    does: 'Everything that was recorded can be read, and nothing of it is masked.',
  },
  erasure: { name: 'Erase a member', does: 'A person is forgotten for good. That cannot be undone.' },
};

export const approvalName = ({ kind }: Pick<ApprovalView, 'kind'>): string => kinds[kind].name;
export const approvalDoes = ({ kind }: Pick<ApprovalView, 'kind'>): string => kinds[kind].does;

const textIn = (request: ApprovalView['request'], name: string): string | null => {
  const value = request[name];
  return typeof value === 'string' ? value : null;
};

/** What of that kind is asked for: `Resolve it as delivered, by force`. */
export function approvalAsks({ kind, request }: Pick<ApprovalView, 'kind' | 'request'>): string {
  switch (kind) {
    case 'forced-intent': {
      const as = textIn(request, 'as');
      if (as === null) return 'Replay it by force: it is sent once more.';
      return as === 'delivered'
        ? 'Resolve it as delivered, by force.'
        : 'Resolve it as not delivered, and send it again, by force.';
    }
    case 'forced-replay':
      return 'Send once more all that the replay has selected.';
    case 'personal-export':
      return `Export what was recorded${sinceText(request)}, unmasked.`;
    case 'erasure':
      return `Erase the member ${textIn(request, 'memberId') ?? ''} for good.`;
  }
}

function sinceText(request: ApprovalView['request']): string {
  const parts = [
    ['from', textIn(request, 'from')],
    ['before', textIn(request, 'to')],
  ].flatMap(([word, at]) => (at === null ? [] : [` ${word} ${at}`]));
  return parts.join('');
}

interface TargetPage {
  readonly to: '/intents/$id' | '/replays/$id';
  readonly id: string;
}

/** Where one sees what it is about; null where there is nothing to see yet: a job that is not begun. */
export function targetPage({ kind, target }: Pick<ApprovalView, 'kind' | 'target'>): TargetPage | null {
  const idBehind = (prefix: string): string => (target.startsWith(prefix) ? target.slice(prefix.length) : target);
  if (kind === 'forced-intent') return { to: '/intents/$id', id: idBehind('/intents/') };
  return kind === 'forced-replay' ? { to: '/replays/$id', id: idBehind('/replays/') } : null;
}

/** The newest of what waits first, then what is settled. */
export function byUrgency(approvals: readonly ApprovalView[]): readonly ApprovalView[] {
  const rank = ({ state }: ApprovalView): number => (state === 'proposed' ? 0 : 1);
  return approvals.toSorted((a, b) => rank(a) - rank(b) || Date.parse(b.askedAt) - Date.parse(a.askedAt));
}
