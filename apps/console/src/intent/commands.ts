import type { Intent } from './intent-words.js';
import { type DeedName, isInDoubt, obstacleOf } from './deeds.js';

/** For a shell: nothing in it is expanded. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

interface Command {
  readonly name: string;
  readonly text: string;
}

const names: Readonly<Record<DeedName, string>> = {
  replay: 'Replay',
  correct: 'Correct',
  cancel: 'Cancel',
  delivered: 'Resolve as delivered',
  'not-delivered': 'Resolve as not delivered',
};

const verbs: Readonly<Record<DeedName, string>> = {
  replay: 'replay intent',
  correct: 'correct intent',
  cancel: 'cancel intent',
  delivered: 'resolve intent',
  'not-delivered': 'resolve intent',
};

function flagsOf(intent: Intent, deed: DeedName): string {
  if (deed === 'delivered' || deed === 'not-delivered') return ` --as ${deed}`;
  if (deed === 'correct') return ' --patch "$PATCH_FILE"';
  return deed === 'cancel' && isInDoubt(intent) ? ' --not-delivered' : '';
}

const deeds = ['replay', 'correct', 'cancel', 'delivered', 'not-delivered'] as const;

/** The same from a terminal, as far as it can be done to it now. */
export function commandsOf(intent: Intent, apiUrl: string): readonly Command[] {
  const id = quoted(intent.id);
  const possible = deeds.filter((deed) => obstacleOf(intent, deed) === null);
  return [
    { name: 'Read it by curl', text: `curl -H "authorization: Bearer $TOKEN" ${quoted(apiUrl)}` },
    { name: 'Describe', text: `loyaltyd describe intent ${id}` },
    ...possible.map((deed) => ({
      name: deed === 'delivered' || deed === 'not-delivered' ? `Resolve as ${deed}` : names[deed],
      text: `loyaltyd ${verbs[deed]} ${id}${flagsOf(intent, deed)} --reason "$REASON"`,
    })),
  ];
}
