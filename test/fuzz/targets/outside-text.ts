import { apiDepthMax, decodeUtf8, exceedsDepth, jsonDepthMax, readJson, readJsonText, readYaml } from '#contracts';
import type { Chance } from '#shop';

import { mustHold, type FuzzTarget } from '../fuzz-target.js';
import { mutateBytes } from '../mutate.js';

/** What opens, closes and repeats; together it is deeper than any stack. */
const words: readonly string[] = [
  ...[
    '[',
    ']',
    '{',
    '}',
    '"',
    ':',
    ',',
    '\\',
    '\\u',
    '\\ud800',
    '__proto__',
    '\\u005f',
    '1e999',
    '&a ',
    '*a',
    '<<: *a',
    '- ',
  ],
  ...[jsonDepthMax, apiDepthMax, 1_000].flatMap((depth) => ['['.repeat(depth), '{"a":'.repeat(depth)]),
  ...[jsonDepthMax, 300].flatMap((depth) => [']'.repeat(depth), '- '.repeat(depth), '&a [*a]', '{a: '.repeat(depth)]),
];

const samples: readonly string[] = [
  '{"sub":"ada","roles":["admin"],"exp":4102444800,"aud":["loyaltyd"]}',
  '{"alg":"RS256","kid":"k-1","typ":"at+jwt"}',
  '{"issuer":"https://id.example","jwks_uri":"https://id.example/keys"}',
  '{"key":"m_1","headers":{"a":"x","b":null},"value":{"id":9007199254740993}}',
  '{"correction":{"value":{"data":{"total":{"minor":1}}}},"reason":"typo"}',
  'programs: { club: &a { brandId: 101, tiers: [1, 2] }, other: { <<: *a } }',
];

/** Walks as schemas, masks and copies do: by calling itself. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  mustHold(!Object.hasOwn(value, '__proto__'), 'a prototype can be reached');
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function judgeJson(input: Buffer): string {
  const read = readJson(input);
  const text = decodeUtf8(input);
  if (!read.ok) {
    mustHold(read.detail !== '', 'it is refused without a reason');
    return `json ${read.detail}`;
  }
  mustHold(text !== null, 'bytes that are no UTF-8 were read');
  mustHold(depthOf(read.value) <= jsonDepthMax, 'it nests deeper than its bound');
  mustHold(structuredClone(read.value) !== undefined, 'it cannot be copied');
  const again = JSON.stringify(read.value);
  mustHold(again === JSON.stringify(readJsonText(text)), 'its text means something else', again);
  return 'json read';
}

function judgeDeep(input: Buffer): string {
  const text = input.toString('utf8');
  const value = readJsonText(text, { depthMax: apiDepthMax, revive: (_key, each) => each });
  if (exceedsDepth(text, apiDepthMax)) mustHold(value === undefined, 'what is too deep was read');
  mustHold(depthOf(value) <= apiDepthMax, 'it nests deeper than its bound');
  return value === undefined ? 'unread' : 'read';
}

function judgeYaml(input: Buffer): string {
  const read = readYaml(input);
  if (read.ok) mustHold(depthOf(read.value) <= jsonDepthMax, 'YAML nests deeper than its bound');
  else mustHold(read.errors.length > 0, 'YAML is refused without a reason');
  return read.ok ? 'yaml read' : `yaml ${read.errors[0]}`;
}

/** The reader that claims and heads of tokens, documents of providers, bodies of requests and files of commands come through. */
export function outsideTextTarget(): FuzzTarget {
  return {
    name: 'outside-text',
    samples: samples.map((text) => Buffer.from(text)),
    make: (chance: Chance, pool) => mutateBytes(chance.pick(pool), chance, words),
    judge: (input) => [judgeJson(input), judgeDeep(input), judgeYaml(input)].join('; '),
  };
}
