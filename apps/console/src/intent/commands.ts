import type { Intent } from './intent-words.js';
import { type ActionName, isInDoubt, obstacleOf } from './actions.js';

/** For a shell: nothing in it is expanded. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

interface Command {
  readonly name: string;
  readonly text: string;
}

const names: Readonly<Record<ActionName, string>> = {
  replay: 'Replay',
  correct: 'Correct',
  cancel: 'Cancel',
  delivered: 'Resolve as delivered',
  'not-delivered': 'Resolve as not delivered',
};

const verbs: Readonly<Record<ActionName, string>> = {
  replay: 'replay intent',
  correct: 'correct intent',
  cancel: 'cancel intent',
  delivered: 'resolve intent',
  'not-delivered': 'resolve intent',
};

function flagsOf(intent: Intent, action: ActionName): string {
  if (action === 'delivered' || action === 'not-delivered') return ` --as ${action}`;
  if (action === 'correct') return ' --patch "$PATCH_FILE"';
  return action === 'cancel' && isInDoubt(intent) ? ' --not-delivered' : '';
}

const actions = ['replay', 'correct', 'cancel', 'delivered', 'not-delivered'] as const;

/** The same from a terminal, as far as it can be done to it now. */
export function commandsOf(intent: Intent, apiUrl: string): readonly Command[] {
  const id = quoted(intent.id);
  const possible = actions.filter((action) => obstacleOf(intent, action) === null);
  return [
    { name: 'Read it by curl', text: `curl -H "authorization: Bearer $TOKEN" ${quoted(apiUrl)}` },
    { name: 'Describe', text: `loyaltyd describe intent ${id}` },
    ...possible.map((action) => ({
      name: action === 'delivered' || action === 'not-delivered' ? `Resolve as ${action}` : names[action],
      text: `loyaltyd ${verbs[action]} ${id}${flagsOf(intent, action)} --reason "$REASON"`,
    })),
  ];
}
