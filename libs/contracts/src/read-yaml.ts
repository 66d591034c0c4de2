import { isScalar, parseDocument, visit, type Document } from 'yaml';

/** Largest file read. */
const yamlLengthMax = 1024 * 1024;

/** How many values the aliases of one file may expand to, over its anchors: a small file must stay small. */
const yamlAliasCountMax = 100;

type ReadYaml =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly errors: readonly string[] };

/**
 * A file of settings (programs, a dialect): YAML 1.2 with merge keys (`<<`), so that parts of it may be shared.
 * Duplicate keys, unknown tags and a second document are errors. Ids that a number would not keep (`0101`, beyond 2^53)
 * stay the text they were written as. Never throws. Errors quote nothing of the file, for somebody may name a file of
 * secrets instead; nor are there warnings on standard error, which would.
 */
export function readYaml(text: string): ReadYaml {
  if (text.length > yamlLengthMax) return refuse([`longer than ${yamlLengthMax} characters`]);
  try {
    const document = parseDocument(text, { merge: true, uniqueKeys: true, strict: true, logLevel: 'error' });
    const problems = [...document.errors, ...document.warnings].map(({ message }) => firstLine(message));
    if (problems.length > 0) return refuse(problems);
    keepIdsExact(document);
    return { ok: true, value: document.toJS({ maxAliasCount: yamlAliasCountMax }) as unknown };
  } catch (error) {
    return refuse([firstLine(error instanceof Error ? error.message : 'unreadable')]);
  }
}

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
