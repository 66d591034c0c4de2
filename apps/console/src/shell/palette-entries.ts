import type { Answer } from '../api/api-types.js';
import type { IconName } from '../components/icon.js';
import { operationName } from '../components/operation-words.js';
import { jobKinds } from '../work/job-kinds.js';
import { screenGroups } from './screens.js';

type SearchGroup = Answer<'/search'>['groups'][number];
type SearchHit = SearchGroup['items'][number];

/** Where an entry leads: a place of the router, or something that the palette itself does. */
export type PaletteTarget =
  | { readonly kind: 'screen'; readonly to: (typeof screenGroups)[number]['screens'][number]['to'] }
  | { readonly kind: 'intent'; readonly id: string }
  | { readonly kind: 'member'; readonly program: string; readonly memberId: string }
  | { readonly kind: 'purchase'; readonly purchaseId: string }
  | { readonly kind: 'store'; readonly store: string }
  | { readonly kind: 'job'; readonly jobKind: string; readonly id: string }
  | { readonly kind: 'record'; readonly id: string }
  | { readonly kind: 'audit'; readonly actor: string }
  | { readonly kind: 'new-replay' | 'pause' | 'theme' | 'time-zone' | 'help' | 'sign-out' };

export interface PaletteEntry {
  readonly key: string;
  readonly group: string;
  readonly icon: IconName;
  readonly text: string;
  readonly about?: string;
  readonly target: PaletteTarget;
}

const screens: readonly PaletteEntry[] = screenGroups
  .flatMap((group) => group.screens)
  .map(({ to, title, icon }) => ({
    key: `screen ${to}`,
    group: 'Screens',
    icon,
    text: title,
    target: { kind: 'screen', to },
  }));

const action = (
  kind: 'new-replay' | 'pause' | 'theme' | 'time-zone' | 'help' | 'sign-out',
  icon: IconName,
  text: string,
): PaletteEntry => ({ key: kind, group: 'Actions', icon, text, target: { kind } });

const actions: readonly PaletteEntry[] = [
  action('new-replay', 'replays', 'Plan a replay'),
  action('pause', 'pauses', 'Pause deliveries'),
  action('theme', 'theme', 'Switch between light and dark'),
  action('time-zone', 'time', 'Switch between local time and UTC'),
  action('help', 'help', 'Help and keys'),
  action('sign-out', 'user', 'Sign out'),
];

/** Every word of it stands somewhere in the text. */
function fits(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  return words.split(/\s+/).every((word) => lower.includes(word));
}

export function fixedEntries(words: string): readonly PaletteEntry[] {
  const wanted = words.trim().toLowerCase();
  return [...screens, ...actions].filter(({ text }) => wanted === '' || fits(text, wanted));
}

/** What an entry is called, and what is said of it besides. */
function wordsOf(hit: SearchHit): Pick<PaletteEntry, 'icon' | 'text' | 'about'> {
  switch (hit.kind) {
    case 'intent':
      return { icon: 'intents', text: hit.id, about: `${operationName(hit.operation, 1)}, ${hit.status}` };
    case 'member':
      return { icon: 'user', text: hit.memberId, about: `${hit.isErased ? 'erased ' : ''}member of ${hit.program}` };
    case 'purchase':
      return { icon: 'intents', text: hit.purchaseId, about: `purchase of ${hit.memberId}, ${hit.program}` };
    case 'card':
      return { icon: 'user', text: hit.memberId, about: `has this card of ${hit.program}` };
    case 'store':
      return { icon: 'intents', text: hit.store, about: 'store' };
    case 'job':
      return { icon: 'jobs', text: hit.id, about: `${jobKinds[hit.jobKind].name}, ${hit.state}` };
    case 'record':
      return { icon: 'quarantine', text: `Record ${hit.id}`, about: `set aside: ${hit.reason}, ${hit.state}` };
    case 'request':
      return { icon: 'audit', text: hit.requestId, about: `${hit.action} by ${hit.actor}` };
    case 'refund':
    case 'return':
    case 'correction':
    case 'grant':
      return { icon: 'intents', text: hit.number, about: `${hit.kind}: ${hit.intent}` };
  }
}

function placeOf(hit: SearchHit): PaletteTarget {
  switch (hit.kind) {
    case 'intent':
      return { kind: 'intent', id: hit.id };
    case 'member':
    case 'card':
      return { kind: 'member', program: hit.program, memberId: hit.memberId };
    case 'purchase':
      return hit.intent === null
        ? { kind: 'purchase', purchaseId: hit.purchaseId }
        : { kind: 'intent', id: hit.intent };
    case 'store':
      return { kind: 'store', store: hit.store };
    case 'job':
      return { kind: 'job', jobKind: hit.jobKind, id: hit.id };
    case 'record':
      return { kind: 'record', id: String(hit.id) };
    case 'request':
      return { kind: 'audit', actor: hit.actor };
    case 'refund':
    case 'return':
    case 'correction':
    case 'grant':
      return { kind: 'intent', id: hit.intent };
  }
}

/** What the daemon found, kind by kind: the only one is the first, and Enter opens it. */
export function foundEntries(groups: readonly SearchGroup[]): readonly PaletteEntry[] {
  return groups.flatMap(({ kind, items, hasMore }) =>
    items.map((hit, index): PaletteEntry => {
      const { about = '', ...words } = wordsOf(hit);
      const target = placeOf(hit);
      const more = hasMore && index === items.length - 1 ? ' (type more: there are others)' : '';
      return { key: `${kind} ${JSON.stringify(target)}`, group: 'Found', ...words, about: `${about}${more}`, target };
    }),
  );
}
