/** Rows as text, each column as wide as its widest cell and at most so wide; longer cells are cut. */
export function columns(rows: readonly (readonly string[])[], charsMax: readonly number[] = []): string[] {
  const cut = rows.map((row) => row.map((cell, column) => shortened(cell, charsMax[column] ?? Infinity)));
  const widths = (cut[0] ?? []).map((_, column) => Math.max(...cut.map((row) => (row[column] ?? '').length)));
  return cut.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function shortened(text: string, charsMax: number): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > charsMax ? `${line.slice(0, charsMax - 3)}...` : line;
}
