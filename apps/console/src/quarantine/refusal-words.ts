/** What a rule says that refused a record, and what helps (docs/producers.md, "What bad input gets"). */
export interface RefusalWords {
  readonly means: string;
  readonly helps: string;
}

const words: Readonly<Record<string, RefusalWords>> = {
  unreadable: {
    means: 'It cannot be read as an event: no JSON, no CloudEvent, too large, nested too deep, or damaged.',
    helps: 'The producer must be mended. A record that cannot be sent again can be corrected here as a whole.',
  },
  oversized: {
    means: 'It is larger than is taken apart: a record batch beyond the limit, or a single record beyond 8 MiB.',
    helps:
      'Have its records sent again in smaller batches; or raise KAFKA_DECOMPRESSED_BYTES_MAX of the process that serves this page, and resubmit.',
  },
  invalid: {
    means: 'It is an event, but breaks a rule of its schema, or lacks a value that the programs file needs.',
    helps: 'Correct it here, or have the producer mend it and send it again.',
  },
  'unsupported-type': {
    means: 'It is of a type or version that nobody here knows.',
    helps: 'The producer must use a type of the contracts. Once the type is known, resubmit it.',
  },
  'unknown-program': {
    means: 'It names a program that the programs file does not have.',
    helps: 'Add the program to the programs file and reload it, then resubmit. Or correct the name.',
  },
  unroutable: {
    means:
      'No call of the partner can carry it: an unknown reward or tier, another currency, an event without a mapping.',
    helps: 'Add the mapping to the programs file and reload it, then resubmit.',
  },
  'not-allowed': {
    means: 'What it came by may not say this: its type, its program, or that somebody is erased or merged with others.',
    helps:
      'Have it sent by what may say it, or declare that this source may. Or make sure that it is true, and resubmit it here.',
  },
  'not-permitted': {
    means:
      'It asks to erase or merge members, which events of this program may not, or not so many within an hour (eventsMay). An opt-out that was in it has taken effect.',
    helps: 'An admin decides: resubmit it and it is done, discard it and it is not.',
  },
  conflict: {
    means: 'The same event id, or the same purchase or grant, was taken in before with other content.',
    helps: 'Find out which of the two is right. It stays refused as it is: correct it, or discard it.',
  },
  'place-differs': {
    means: 'Its record was taken in before, and its map now makes other events of it. Nothing is made of it twice.',
    helps: 'Compare what the map says with what was recorded. Correct that by hand, then discard this.',
  },
  erased: {
    means: 'Its member was erased before it came. Only its amount, its time and where it lay are kept.',
    helps:
      'Discard it. Where the person has enrolled again since, and it happened after that, the shop sends it again.',
  },
};

const unknownWords: RefusalWords = {
  means: 'It was refused for a reason that this console does not know.',
  helps: 'The detail says more; so does the documentation of the release that runs.',
};

export const refusalReasons: readonly string[] = Object.keys(words);

export function refusalWords(reason: string): RefusalWords {
  return words[reason] ?? unknownWords;
}

const conflicts: Readonly<Record<string, string>> = {
  event: 'the same event id, with other content',
  'business-key': 'the same purchase or grant, with other content',
  'other-day': 'the same purchase number on another day: do the receipts begin again every day?',
  'void-before-sale': 'a void that is older than the purchase whose number it names',
  'number-in-quarantine':
    'it may mean another purchase or return of that number, which lies here, too: deal with that first',
};

/** The detail of a refusal; of a conflict the daemon says only by what the two are the same. */
export function detailWords({ reason, detail }: { readonly reason: string; readonly detail: string }): string {
  return reason === 'conflict' ? (conflicts[detail] ?? detail) : detail;
}

const ours = /^(?:record|prepare): /;

/** Such a detail is a defect of loyaltyd, not of the producer. */
export const isOurDefect = (detail: string): boolean => ours.test(detail);

/** A rule, and the path of the record that it is about. */
export interface BrokenRule {
  /** Null: it is about the record as a whole. */
  readonly path: string | null;
  readonly rule: string;
}

const pathPattern = /^(?:data|key|value|headers|type|time|source|id|subject|specversion)(?:[.[][^:\s]*)?$/;

function ruleOf(text: string): BrokenRule {
  const at = text.indexOf(': ');
  const path = at === -1 ? text : text.slice(0, at);
  if (!pathPattern.test(path)) return { path: null, rule: text };
  return { path, rule: at === -1 ? '' : text.slice(at + 2) };
}

/** `data.total: required; data.storeId: too long`, taken apart. */
export function brokenRules(detail: string): readonly BrokenRule[] {
  return detail
    .split('; ')
    .filter((text) => text !== '')
    .map(ruleOf);
}
