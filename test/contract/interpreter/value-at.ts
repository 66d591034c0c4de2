/** The value at a dotted path, `data.0.passId`; the whole for an empty path. Undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  return path.split('.').reduce<unknown>((at, key) => (isHolder(at) ? at[key] : undefined), value);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
