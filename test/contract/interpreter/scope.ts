/** What `${name}` may stand for: nested values, looked up by dots. */
export type Scope = Readonly<Record<string, unknown>>;

/** The setup or the dialect says nothing where a row needs something: the row is not run, and says why. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}

const whole = /^\$\{([^}]+)\}$/;
const inside = /\$\{([^}]+)\}/g;

/** Replaces every `${name}` in a value, keys included; a text that is nothing else becomes the value itself. */
export function resolve(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return resolveText(value, scope);
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [String(resolveText(key, scope)), resolve(item, scope)]);
  return Object.fromEntries(entries) as unknown;
}

function resolveText(text: string, scope: Scope): unknown {
  const only = whole.exec(text)?.[1];
  if (only !== undefined) return lookUp(only, scope);
  return text.replace(inside, (_all, name: string) => String(lookUp(name, scope)));
}

function lookUp(name: string, scope: Scope): unknown {
  if (name.startsWith('epochMs:')) return Date.now() + Number(name.slice('epochMs:'.length));
  if (name.startsWith('local:')) return localTime(name);
  const found = name.split('.').reduce<unknown>((at, key) => (isHolder(at) ? at[key] : undefined), scope);
  if (found !== undefined && found !== null) return found;
  if (name.startsWith('setup.')) throw new NotRun(`the setup names no ${name.slice('setup.'.length)}`);
  throw new Error(`nothing is known as ${name}`);
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** `local:+1500:Asia/Tokyo`: what clocks show there in so many milliseconds, as `yyyy-MM-ddTHH:mm:ss`. */
function localTime(name: string): string {
  const [, offset = '0', timeZone = 'UTC'] = name.split(':');
  // The Swedish way to write a date is that of ISO 8601.
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return shown.format(Date.now() + Number(offset)).replace(' ', 'T');
}
