/** How a spreadsheet tells a formula; a number with a sign is none. */
const formula = /^[=+\-@\t\r]/;
const plainNumber = /^-?\d+(?:\.\d+)?$/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  const shown = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** One line of CSV (RFC 4180) with its line break, and no formula whatever stands in it. */
export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(cell).join(',')}\n`;
