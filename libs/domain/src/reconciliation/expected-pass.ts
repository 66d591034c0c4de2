import { needsPass } from '../operation.js';
import type { Operation } from '../operation.js';
import type { JsonValue, PartnerCommand, PassContent } from '../routing/partner-command.js';
import { PASS_FIELDS } from '../routing/pass-content.js';

/** Something that was owed to the partner, as far as it says what the pass must show. */
export interface SentContent {
  readonly operation: Operation;
  /** Whether it took effect, as far as we know. */
  readonly certainty: 'sent' | 'unsure' | 'not-sent';
  /** Null where it cannot be read, or says nothing of the pass. */
  readonly command: PartnerCommand | null;
}

/** What a pass must show by what was sent last: values by path. What nobody knows is not in it. */
export type ExpectedPass = ReadonlyMap<string, JsonValue>;

const pointsPath = 'passdata.points';

/** Beside these a pass shows what changes by itself (the message), what is the shop's own, and a person's image. */
const comparedFields = PASS_FIELDS.filter((field) => field !== 'profileImage');

/**
 * What the pass must show. An enrolment says it anew, an update changes what it names; what may or may not have taken
 * effect takes away what was known, and so does a sale or a reward from the points. Pure.
 * @param sent in the order in which it took effect
 */
export function expectedPass(sent: readonly SentContent[]): ExpectedPass {
  return sent.reduce<ExpectedPass>(afterContent, new Map());
}

function afterContent(expected: ExpectedPass, content: SentContent): ExpectedPass {
  const { operation, certainty } = content;
  if (certainty === 'not-sent') return expected;
  if (needsPass(operation)) return without(expected, [pointsPath]);
  return afterPassContent(expected, content);
}

function afterPassContent(expected: ExpectedPass, { operation, certainty, command }: SentContent): ExpectedPass {
  const values = command !== null && 'content' in command ? valuesOf(command.content) : null;
  // Something of the pass was changed, and nobody can say what.
  if (values === null) return new Map();
  // A schedule is accepted long before it changes anything.
  const isKnown = certainty === 'sent' && operation !== 'schedule-update';
  if (!isKnown) return without(expected, [...values.keys()]);
  const isNew = operation === 'issue' || operation === 'issue-via-workflow';
  return new Map([...(isNew ? [] : expected), ...values]);
}

function without(expected: ExpectedPass, paths: readonly string[]): ExpectedPass {
  return new Map([...expected].filter(([path]) => !paths.includes(path)));
}

function valuesOf({ tierId, groupId, templateId, passdata = {} }: PassContent): ExpectedPass {
  const own = { templateTierId: tierId, groupId, templateId };
  const shown = comparedFields.map((field) => [`passdata.${field}`, passdata[field]] as const);
  const known = [...Object.entries(own), ...shown];
  return new Map(known.flatMap(([path, value]) => (value === undefined ? [] : [[path, value] as const])));
}
