import type { PartnerView } from './pass-comparison.js';

type OpenIntent = PartnerView['ours']['open'][number];
export type LookProof = NonNullable<OpenIntent['proof']>;

interface ProofText {
  readonly tone: 'good' | 'calm' | 'doubt';
  readonly title: string;
  readonly words: string;
}

const figure = (value: number): string => value.toLocaleString('en');
const known = (value: number | null): string => (value === null ? 'not known' : figure(value));

/** `Points before the attempt 120, now 132; it adds 12.` Empty where it moves none. */
function pointsText({ before, now, delta }: LookProof['points']): string {
  if (now === null && delta === null) return '';
  const moves = delta === null ? '' : `; it ${delta < 0 ? 'takes' : 'adds'} ${figure(Math.abs(delta))}`;
  return `Points before the attempt: ${known(before)}; now: ${known(now)}${moves}. `;
}

const evidenceWords: Readonly<Record<string, string>> = {
  points: 'They moved by exactly what it adds or takes, and nothing else can have moved them.',
  'as-wanted': 'The pass is as it was to become, and was not before.',
  'pass-found': 'The partner shows the member’s pass.',
  'lookup-and-listing': 'Neither a look-up nor the listing shows a pass, and the attempt is too old to take effect.',
};

const whyWords: Readonly<Record<NonNullable<LookProof['why']>, string>> = {
  'partner-failed': 'The partner could not say. Ask again later.',
  'no-trace': 'This kind of call leaves no trace in a look-up: ask the partner’s people, or the member.',
  'refused-twice':
    'A look-up does not show purchases. The partner refuses a second one with the same number, by the programs file: sent again it is refused as a duplicate if it is there.',
  'answered-otherwise':
    'The partner said yes to something else than was asked. What it has of this, a look-up does not show: ask its people.',
  'not-read-before':
    'What the pass showed right before the attempt was not read, or was as wanted already: what it shows now can be told either way.',
  'others-moved': 'Another call of this member ended right before or since, and may have moved them.',
  'second-look': 'One look is not enough: two equal ones, some time apart, are.',
  'too-early': 'The attempt may still take effect. Ask again in some minutes.',
  'other-points': 'They moved otherwise than by what it adds or takes.',
  unclear: 'What the partner shows can be told either way.',
};

/** What a look has shown, or why it proves nothing, by the daemon's word for it; null: it is none. */
export const lookWords = (code: string): string | null =>
  evidenceWords[code] ?? (whyWords as Readonly<Record<string, string>>)[code] ?? null;

const verdicts = {
  applied: { tone: 'good', title: 'The partner’s answer proves that it took effect' },
  'not-applied': { tone: 'calm', title: 'The partner’s answer proves that it did not take effect' },
  nothing: { tone: 'doubt', title: 'The partner’s answer proves nothing about this' },
} as const;

/** What an answer of the partner says of one intent in doubt, by the daemon’s rules of evidence. */
export function proofText({ verdict, evidence, why, points }: LookProof): ProofText {
  const because = why === null ? (evidenceWords[evidence ?? ''] ?? evidence ?? '') : whyWords[why];
  return { ...verdicts[verdict], words: `${pointsText(points)}${because}` };
}
