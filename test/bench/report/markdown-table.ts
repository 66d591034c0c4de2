const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A table in Markdown, not yet formatted; numbers to the right of a first column of names. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');
