import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeDialect, type DialectEntry } from '#gateway';

/** The page that describes the partner's dialect; written by this program, read by people. */
export const dialectPage = resolve(import.meta.dirname, '../../docs/partner-dialect.md');

const command = 'npx --no-install node --import ./test/support/source-loader.js test/docs/write-dialect.ts';

const introduction = `# The partner's dialect

<!-- Generated from the gateway's schema. Do not edit: change the schema, then run
     ${command} -->

Each point that [the partner's specification](partner-api.md) leaves open is one entry below, with the default that we assume. Numbers such as 4.7 are
the specification's sections. [The contract suite](contract-suite.md) finds out what yours needs.

Entries come from two places; the second wins:

1. the YAML file named by \`WALLET_DIALECT\`, for all programs. It is read at the start only.
2. \`dialect\` of a program in the [programs file](configuration.md#the-programs-file). It is [read again](operations/programs-file.md#reload)
   with that file.

A list replaces the whole list below it, \`status.numbers\` its default. An unknown entry or a wrong value stops the start with exit code 2. Patterns are
JavaScript regular expressions; case is ignored. One that can take too long in a message, such as \`(a+)+$\`, is refused, with such a text;
so is a template with too many choices, and what refers back (\`\\1\`).

\`\`\`yaml
lookup:
  absent:
    statuses: [404]
    pattern: 'no card for this member'
transaction: { negativeAmounts: false }
\`\`\`

Before you change an entry:

- \`success.proof\` tells a delivered sale from a status page with status 200. Besides \`documented\` it may be \`object\` (any JSON object) or \`any\` (any
  JSON, or no body at all). What falls short is an unknown outcome. Relax it for the one operation whose real answers you have seen, then have the parked
  ones [read again](operations/unproven-answers.md).
- What a dialect cannot say is not sent, such as a refund with \`negativeAmounts: false\`: the intent parks as \`rejected\`, code \`invalid-request\`.
- Changes of \`update: { via: schedule }\` take effect \`schedule.leadMs\` after they were sent; an accepted schedule counts as delivered.
- Where two entries name properties of the same body or query, their names must differ.
- Calls about a brand as a whole (4.10, 4.11, 4.13) belong to no program: they speak the dialect of \`WALLET_DIALECT\`. So does the token request, which is one for all programs: \`token\` in a program is refused.
- \`identifyBy\` names a pass as the partner has shown it: in the answer to its enrolment, in a listing, or in a lookup, which is made first where nothing
  has shown it. A pass that was shown without that name is named by \`unique_id\`.
`;

function groupOf({ path }: DialectEntry): string {
  return path.split('.', 1)[0] ?? path;
}

/** Longer ones are lists of words and patterns, which nobody reads on a page. */
export const defaultCharsMax = 200;

function entryText({ path, description, default: standard }: DialectEntry): string {
  const shown = standard.length > defaultCharsMax ? '(long: [`GET /dialect`](operations/api.md))' : `\`${standard}\``;
  return `- \`${path}\` = ${shown}: ${description}\n`;
}

/** The whole page as Markdown. */
export function dialectText(): string {
  const groups = Map.groupBy(describeDialect(), groupOf);
  const sections = [...groups].map(([group, entries]) => `## ${group}\n\n${entries.map(entryText).join('')}`);
  return [introduction, ...sections].join('\n');
}

if (process.argv[1] === import.meta.filename) writeFileSync(dialectPage, dialectText());
