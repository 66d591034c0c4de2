import { invariants } from './invariants/index.js';

/** What is checked where, as a table of Markdown: README.md holds it, its spec holds README.md to it. */
export function invariantTable(): string {
  const rows = invariants.map(({ id, checks, cannotSee, elsewhere }) => {
    const tests = elsewhere.length === 0 ? 'nowhere else' : elsewhere.map((path) => `\`${path}\``).join(', ');
    return `| ${id} | ${checks} | ${cannotSee} | ${tests} |`;
  });
  return ['| | checked here | not seen here | the rest is checked by |', '|---|---|---|---|', ...rows].join('\n');
}
