import type { Answer } from '../api/api-types.js';
import type { IconName } from '../components/icon.js';
import { operationName } from '../components/operation-words.js';
import { screenGroups } from './screens.js';

type Intent = Answer<'/intents'>['items'][number];

/** Where an entry leads: a place of the router, or something that the palette itself does. */
export type PaletteTarget =
  | { readonly kind: 'screen'; readonly to: (typeof screenGroups)[number]['screens'][number]['to'] }
  | { readonly kind: 'intent'; readonly id: string }
  | { readonly kind: 'member'; readonly program: string; readonly memberId: string }
  | { readonly kind: 'purchase'; readonly purchaseId: string }
  | { readonly kind: 'search'; readonly q: string }
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

function firstOf<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}

const shownIntents = 6;
const shownMembers = 3;

/** What the API found by an id: members and purchases of these intents where they are what was asked for, and they. */
export function foundEntries(q: string, intents: readonly Intent[]): readonly PaletteEntry[] {
  const members = firstOf(
    intents.filter(({ memberId }) => memberId === q),
    ({ program }) => program,
  );
  const purchases = intents.some(({ purchaseId }) => purchaseId === q) ? [q] : [];
  return [
    ...members.slice(0, shownMembers).map(({ program, memberId }): PaletteEntry => ({
      key: `member ${program} ${memberId}`,
      group: 'Found',
      icon: 'user',
      text: memberId,
      about: `member of ${program}`,
      target: { kind: 'member', program, memberId },
    })),
    ...purchases.map((purchaseId): PaletteEntry => ({
      key: `purchase ${purchaseId}`,
      group: 'Found',
      icon: 'intents',
      text: purchaseId,
      about: 'all intents of this purchase',
      target: { kind: 'purchase', purchaseId },
    })),
    ...intents.slice(0, shownIntents).map(({ id, operation, status }): PaletteEntry => ({
      key: `intent ${id}`,
      group: 'Found',
      icon: 'intents',
      text: id,
      about: `${operationName(operation, 1)}, ${status}`,
      target: { kind: 'intent', id },
    })),
    {
      key: 'search',
      group: 'Found',
      icon: 'search',
      text: `All intents with ${q}`,
      target: { kind: 'search', q },
    },
  ];
}
