/** A piece of SQL that must not be looked into: quoted text, a dollar-quoted body, a comment. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[^]*?\1|--[^\n]*|\/\*[^]*?\*\//g;

/**
 * The statements of an SQL text, one by one, without comments and with single spaces; what is quoted is left out, for
 * only its being there counts.
 */
export function splitSql(text: string): string[] {
  const outline = text.replace(opaque, (piece) => {
    if (piece.startsWith('--') || piece.startsWith('/*')) return ' ';
    if (piece.startsWith('"')) return piece.slice(1, -1);
    return piece.startsWith('$') ? '$$' : "''";
  });
  return outline
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}
