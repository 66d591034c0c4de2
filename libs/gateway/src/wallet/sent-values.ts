import type { IssueCommand, PartnerCommand, TransactionCommand, WorkflowCommand } from '#domain';
import type { Dialect } from '../dialect/dialect-schema.js';

/** What a duplicate refusal of this command would have to mention: a value it sent, or the name of its field. */
export interface SentValues {
  readonly values: readonly string[];
  readonly names: readonly string[];
}

const NOTHING: SentValues = { values: [], names: [] };

export function sentValues(command: PartnerCommand, dialect: Dialect): SentValues {
  switch (command.operation) {
    case 'issue':
    case 'issue-via-workflow':
    case 'update-via-workflow':
      return identifiers(command, dialect);
    case 'transaction':
      return uniqueAttribute(command);
    case 'reward':
    case 'schedule-update':
      return NOTHING;
    default:
      return command satisfies never;
  }
}

function identifiers(command: IssueCommand | WorkflowCommand, { duplicate }: Dialect): SentValues {
  const { email } = command.content.person ?? {};
  return {
    values: typeof email === 'string' ? [command.uniqueId, email] : [command.uniqueId],
    names: [command.uniqueIdKey, ...duplicate.identifierNames],
  };
}

function uniqueAttribute({ uniqueAttribute: unique }: TransactionCommand): SentValues {
  return unique === undefined ? NOTHING : { values: [unique.value], names: [unique.name] };
}

/** Whether the message holds one of them as a whole word, whatever its case: `4` is not in `receipt 14`. */
export function mentionsSentValue(message: string, { values, names }: SentValues): boolean {
  const text = message.toLowerCase();
  return [...values, ...names].some((word) => holdsWord(text, word.toLowerCase()));
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

function holdsWord(text: string, word: string): boolean {
  if (word === '') return false;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + word.length);
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) return true;
  }
  return false;
}
