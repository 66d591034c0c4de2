/** Session material a partner may set; it has no place in evidence. */
const SECRET_HEADER = 'set-cookie';

export function flattenHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === SECRET_HEADER) continue;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
