import { patternProblem } from './patterns/judge-pattern.js';

/**
 * A sentence by which a partner refuses what it has already (`duplicate.templates`). It is compared with whole messages, word
 * by word: case and punctuation do not count. `<value>` is what was sent, `<name>` the name of its attribute, `<sent>` another
 * value of the request, `<id>` one word with a digit, a dot or an underscore in it. Of `(a|b c|)` one is there, here maybe
 * none.
 */
export interface DuplicateTemplate {
  /** @param text of a message, by `plainText`; `VALUE` stands where the value stood, `SENT` where another one did */
  readonly fits: (text: string, name: string) => boolean;
}

/** What stands for a value in the text of a message: none that arrives holds control characters. */
export const VALUE = '\u0001';
export const SENT = '\u0002';

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '<value>': `${VALUE} `,
  '<sent>': `${SENT} `,
  '<name>': '<name>',
  '<id>': String.raw`(?=[^ ]*[\d._])[^ ${VALUE}${SENT}]+ `,
};

/** @returns what is wrong with a template; null: it can be compiled */
export function templateProblem(text: string): string | null {
  const parts = partsOf(text);
  const unknown = parts.find((part) => part.startsWith('<') && PLACEHOLDERS[part] === undefined);
  if (unknown !== undefined) return `${unknown} is none of ${Object.keys(PLACEHOLDERS).join(', ')}`;
  if (plainText(text) === '') return 'has no words';
  if (!isPattern(sourceOf(text))) return 'has a bracket without the other';
  return patternProblem(withName(sourceOf(text), 'name').source, 'u');
}

/** @param text without a problem */
export function compileTemplate(text: string): DuplicateTemplate {
  const source = sourceOf(text);
  // An attribute's name stands in the programs file: there are few.
  const patterns = new Map<string, RegExp>();
  return {
    fits: (message, name) => {
      const pattern = patterns.get(name) ?? withName(source, name);
      patterns.set(name, pattern);
      return pattern.test(`${message} `);
    },
  };
}

function partsOf(text: string): string[] {
  return text.match(/<\w*>|[()|]|[^()|<>]+|[<>]/g) ?? [];
}

/** Every word with a blank behind it. */
function sourceOf(text: string): string {
  return partsOf(text)
    .map((part) => {
      if (part === '(') return '(?:';
      if (part === ')' || part === '|') return part;
      const words = plainText(part);
      return PLACEHOLDERS[part] ?? (words === '' ? '' : `${escaped(words)} `);
    })
    .join('');
}

/** `receiptNo` is `receipt no` as well. */
function withName(source: string, name: string): RegExp {
  const spaced = name.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2').replace(/[_-]+/g, ' ');
  const either = [...new Set([name, spaced].map((each) => escaped(plainText(each))))].join('|');
  return new RegExp(`^(?:${source.replaceAll('<name>', `(?:${either}) `)})$`, 'u');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function isPattern(source: string): boolean {
  try {
    return withName(source, 'name') instanceof RegExp;
  } catch {
    return false;
  }
}

const BETWEEN_WORDS = /[\s()[\]{}<>"“”„«»‹›`´‘‚,;=|!?&\\]+/gu;

/** A text's words in small letters, one blank between them: without quotes, brackets and punctuation at their edges. */
export function plainText(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/&(?:quot|apos|amp|lt|gt|#3[49]);/g, ' ')
    .replace(BETWEEN_WORDS, ' ')
    .split(' ')
    .map((word) => word.replace(/^['.:#-]+|['.:-]+$/g, ''))
    .filter((word) => word !== '')
    .join(' ');
}

const ONE = '(<name>|receipt|transaction|reference|bon)';
const VERB = '(used|taken|posted|recorded|registered|processed|submitted|booked|stored|saved|created|added|imported)';
const TAKEN =
  `(already exists|exists already|is existing already|is already existing|(is |)already in use|is in use|is not unique` +
  `|isn't unique|(is|was|has been) taken|((is|was|has been)|) already ${VERB}|(is|was|has been) ${VERB} already` +
  `|has already been ${VERB}|has been already ${VERB}|${VERB} already)`;

/**
 * Whole sentences of databases, frameworks and services of which the value is a part, one fixed grammar for the plainest of
 * them: partner-api.md shows no wording.
 */
export const DUPLICATE_TEMPLATES: readonly string[] = [
  `((the|this|a|) ${ONE} (number|no|nr|)|) <value> ${TAKEN} (in the system|duplicates are not allowed|on <id>|)`,
  `(the|) value <value> (of|for) (attribute|) <name> ${TAKEN}`,
  `(card <id>|) a transaction with (the value|reference|<name>|) <value> ${TAKEN} (in store <sent>|)`,
  `${ONE} already ${VERB} <value>`,
  'duplicate (value|entry|) (<name>|) <value>',
  'duplicate value <value> (of|for) <name>',
  'duplicate value of unique attribute <name> <value> already exists',
  '(bad request|) (transaction|) (attribute|) <name> must be unique (value|) <value> (already exists|exists already|)',
  '(unfortunately your request could not be completed|) the attribute <name> must be unique but a transaction with the value ' +
    '<value> has already been posted (please correct it and send it again or contact support|)',
  '(ws-400|) (value_duplicate|) value already exists <name> <value>',
  'non-unique value <value>',
  'uniqueness violation <name> <value>',
  '<value> has been used already please try again with another <name>',
  '<name> <value> error already exists',
  'member <sent> has already used <name> <value>',
  'authorized trx for merchantid <id> and orderno <value> already exists',
  // MySQL, PostgreSQL, MongoDB, SQL Server, Salesforce.
  '(could not execute statement constraint <id>|) duplicate entry <value> for key <id>',
  'could not execute statement constraint <id> duplicate entry <value>',
  'duplicate key value violates unique constraint <id> (detail|) key <name> <value> already exists',
  'e11000 duplicate key error collection <id> index <id> dup key <name> <value>',
  'violation of unique key constraint <id> cannot insert duplicate key in object <id> the duplicate key value is <value>',
  'duplicate value found <id> duplicates value on record with id <id> <value>',
];
