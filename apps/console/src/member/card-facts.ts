import type { Answer } from '../api/api-types.js';
import type { Member } from './lane-picture.js';
import { flatPass, type PartnerView } from './pass-comparison.js';

/** Where the member gets the card, as they were asked for. */
export type CardLinks = Answer<'/members/{program}/{memberId}/card-links', 'post'>;

export interface CardLink {
  readonly name: string;
  readonly url: string;
}

/** The card as the member sees it, as far as it is known here. */
export interface CardFacts {
  readonly program: string;
  readonly memberId: string;
  /** Null where it was not unmasked. */
  readonly name: string | null;
  readonly tier: string | null;
  readonly points: string | null;
  readonly status: string | null;
  readonly serialNumber: string | null;
  /** The partner told addresses of it: they are to be asked for. */
  readonly hasLinks: boolean;
  /** Why there is none; null: there is one. */
  readonly absence: string | null;
}

const linkNames = [
  ['downloadUrl', 'Card'],
  ['downloadUrlApple', 'Apple Wallet'],
  ['downloadUrlGoogle', 'Google Wallet'],
] as const;

/** Other protocols would do something in the reader's browser. */
const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text);

const absences: Readonly<Record<Member['passKnown'], string>> = {
  unknown: 'Whether the member has a card is not known yet.',
  absent: 'The partner had no card of this member when it was last asked.',
  known: 'There is a card, and the partner has not shown it yet.',
};

/** Of an answer the addresses that may be shown. */
export function cardLinksOf(answer: CardLinks): readonly CardLink[] {
  return linkNames.flatMap(([path, name]) => {
    const url = answer[path];
    return url === null || !isWebAddress(url) ? [] : [{ name, url }];
  });
}

/** @param partner what the partner said when it was asked on this page */
export function cardFacts(member: Member, partner: PartnerView | null, name: string | null): CardFacts {
  const { program, memberId, pass, passKnown, isErased } = member;
  // The partner's word of now counts, then its last one.
  const values = new Map([...flatPass(pass), ...flatPass(partner?.partner.pass ?? null)]);
  const valueOf = (path: string): string | null => values.get(path) ?? null;
  const absence = isErased ? 'The person was erased: nothing of the card is kept.' : absences[passKnown];
  return {
    ...{ program, memberId, name },
    tier: valueOf('templateTierId'),
    points: valueOf('passdata.points'),
    status: valueOf('statusCode') ?? valueOf('passdata.status'),
    serialNumber: valueOf('serialNumber'),
    hasLinks: linkNames.some(([path]) => (pass?.[path] ?? null) !== null),
    absence: values.size === 0 ? absence : null,
  };
}

interface Unmasked {
  readonly command: unknown;
}

const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

/** The name that the newest intent gives. */
export function unmaskedName(intents: readonly Unmasked[]): string | null {
  for (const { command } of intents) {
    const person = partOf(partOf(command, 'content'), 'person');
    const parts = ['firstName', 'lastName']
      .map((part) => partOf(person, part))
      .filter((part) => typeof part === 'string');
    if (parts.length > 0) return parts.join(' ');
  }
  return null;
}
