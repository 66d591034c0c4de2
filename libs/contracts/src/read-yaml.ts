import { isScalar, parseDocument, visit, type Document } from 'yaml';

import { decodeUtf8, jsonDepthMax, nestsDeeper } from './json/index.js';

/** Largest file read. */
export const yamlBytesMax = 1024 * 1024;

/** How many values the aliases of one file may expand to, over its anchors: a small file must stay small. */
const yamlAliasCountMax = 100;

type ReadYaml =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly errors: readonly string[] };

/**
 * A file of settings (programs, a dialect): YAML 1.2 with merge keys (`<<`), so that parts of it may be shared.
 * Duplicate keys, unknown tags and a second document are errors. Ids that a number would not keep (`0101`, beyond 2^53)
 * stay the text they were written as. Bounded in size and depth, aliases included; bytes must be strict UTF-8. Never throws.
 * Errors quote nothing of the file, for somebody may name a file of secrets instead; nor are there warnings on standard
 * error, which would.
 */
export function readYaml(source: string | Uint8Array): ReadYaml {
  if (source.length > yamlBytesMax) return refuse([`longer than ${yamlBytesMax} bytes`]);
  const text = typeof source === 'string' ? source : decodeUtf8(source);
  if (text === null) return refuse(['invalid UTF-8']);
  try {
    const document = parseDocument(text, { merge: true, uniqueKeys: true, strict: true, logLevel: 'error' });
    const problems = [...document.errors, ...document.warnings].map(({ message }) => firstLine(message));
    if (problems.length > 0) return refuse(problems);
    keepIdsExact(document);
    const value: unknown = document.toJS({ maxAliasCount: yamlAliasCountMax });
    // An alias may stand within what it names.
    return nestsDeeper(value, jsonDepthMax) ? tooDeep : { ok: true, value };
  } catch (error) {
    // The parser calls itself: what no stack is long enough for is too deep by far.
    if (error instanceof RangeError) return tooDeep;
    return refuse([firstLine(error instanceof Error ? error.message : 'unreadable')]);
  }
}

const tooDeep = refuse([`nested deeper than ${jsonDepthMax}`]);

function keepIdsExact(document: Document): void {
  visit(document, {
    Scalar(_key, node) {
      if (!isScalar(node) || typeof node.value !== 'number') return;
      const source = node.source ?? '';
      if (/^0\d+$/.test(source) || !Number.isSafeInteger(Math.trunc(node.value))) node.value = source;
    },
  });
}

/** Without the lines of the file that follow, and without what stood there: tags and aliases are quoted behind a colon. */
function firstLine(message: string): string {
  const line = (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
  return line.replace(/: .*?(?= at line \d+, column \d+$|$)/, '');
}

function refuse(problems: readonly string[]): ReadYaml {
  return { ok: false, errors: problems.map((problem) => `not readable as YAML: ${problem}`) };
}
