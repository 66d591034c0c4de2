import { changeKey } from '../specification.js';

/** The value at a dotted path, `data.0.passId`; the whole for an empty path. Undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  return path.split('.').reduce<unknown>((at, key) => (isHolder(at) ? at[key] : undefined), value);
}

/** The value at the first of the paths that is there. */
export function firstAt(value: unknown, paths: readonly string[]): unknown {
  return paths.map((path) => valueAt(value, path === '$' ? '' : path)).find((found) => found !== undefined);
}

/** Between paths of which the first that is there counts. */
export const or = '|';

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

/** Of the zones that rows name: they put no clocks forward. */
const offsets: Readonly<Record<string, string>> = { UTC: '+00:00', 'Asia/Tokyo': '+09:00' };

/** @param time `yyyy-MM-ddTHH:mm:ss` */
function localTimeIn(format: string, time: string): string {
  if (format === 'space') return time.split('T').join(' ');
  if (format === 'compact') return time.split(/[-:]/).join('');
  return format === 'iso-milliseconds' ? `${time}.000` : time;
}

/** @param date `yyyy-MM-ddTHH:mm:ss.SSSZ` */
function dateIn(format: string, date: string): string {
  const [local = '', fraction = ''] = date.slice(0, -1).split('.');
  if (format === 'iso-seconds') return `${local}Z`;
  if (format === 'iso-offset') return `${local}.${fraction}+00:00`;
  // The suite's own tills are an hour ahead of UTC.
  if (format === 'iso-till') return `${new Date(Date.parse(date) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
  if (format === 'iso-local') return `${local}.${fraction}`;
  return format === 'compact' ? `${local.split(/[-:]/).join('')}Z` : date;
}

const passKeys: ReadonlySet<string> = new Set(['<reward.identifyBy>', '<transaction.identifyBy>']);

/** What a dialect says at a path: the user's file first, else what is assumed. */
export class Names {
  /**
   * @param assumed entry -> assumed value, from assumptions.yaml
   * @param file entries of the user's dialect, nested as in its YAML; null where there is none
   */
  constructor(
    private readonly assumed: ReadonlyMap<string, unknown>,
    private readonly file: unknown,
  ) {}

  /** @throws NotRun where nothing is assumed and the file says nothing */
  at(path: string): unknown {
    const value = this.entry(path);
    if (value === null) throw new NotRun(`the dialect names no ${path}`);
    return value;
  }

  /** As `at`, but null where no value is named. @throws Error for an entry that does not exist */
  entry(path: string): unknown {
    const given = valueAt(this.file, path);
    if (given !== undefined) return given;
    if (this.assumed.has(path)) return this.assumed.get(path);
    const above = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    if (above === '') throw new Error(`no assumption is called ${path}`);
    return valueAt(this.entry(above), path.slice(above.length + 1)) ?? '(not in the dialect)';
  }

  /** Puts the dialect's names and values in place of `<path>`, deep, in keys and values. */
  spell(value: unknown): unknown {
    if (typeof value === 'string') return this.spellText(value);
    if (Array.isArray(value)) return value.map((item) => this.spell(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).flatMap((entry) => this.spellProperty(entry)));
  }

  /** `<path?>` holds properties that lie beside the others where the dialect names no property for them. */
  private spellProperty([key, item]: readonly [string, unknown]): [string, unknown][] {
    if (key === '<error.message>') return [[this.messagePaths.join(or), this.spell(item)]];
    if (passKeys.has(key)) return [this.spellPass(key, item)];
    if (key === changeKey) return this.spellChange(item);
    if (key === '<schedule.names.dateTime>') return [[String(this.spellText(key)), this.spellLocalTime(item)]];
    if (key === '<schedule.names.timeZone>') return [[String(this.spellText(key)), this.spellZone(item)]];
    if (key === 'transactionDate') return [[key, this.spellDate(item)]];
    const path = /^<(.+)\?>$/.exec(key)?.[1];
    if (path === undefined) return [[String(this.spellText(key)), this.spell(item)]];
    const property = this.entry(path);
    return typeof property === 'string' ? [[property, item]] : Object.entries(item as object);
  }

  /** The query parameter that names the pass of a call, with that name. @param names by each entry of `identifyBy` */
  private spellPass(key: string, names: unknown): [string, unknown] {
    const operation = key.slice(1, key.indexOf('.'));
    const part = String(this.entry(`${operation}.identifyBy`));
    const parameter = part === 'unique_id' ? part : String(this.at(`${operation}.${part}Parameter`));
    return [parameter, (names as Readonly<Record<string, unknown>>)[part]];
  }

  /** The numbers of a listing's first two pages. */
  get pages(): { readonly first: number; readonly second: number } {
    const first = Number(this.entry('list.firstPage'));
    return { first, second: first + 1 };
  }

  /** The body of an issue with the ids of the path in it where the dialect repeats them, written as it says. */
  withIds(body: unknown, path: Readonly<Record<string, unknown>>): unknown {
    if (!isHolder(body)) return body;
    const isRepeated = this.entry('issue.repeatIds') === true;
    const write = (id: unknown): unknown => (this.entry('issue.repeatedIdType') === 'number' ? Number(id) : id);
    const ids = [
      [String(this.at('issue.names.brandId')), path['brand_id']],
      [String(this.at('issue.names.programId')), path['program_id']],
    ] as const;
    const repeated = ids.flatMap(([name, id]) => {
      const given = body[name] ?? (isRepeated ? id : undefined);
      return given === undefined ? [] : [[name, write(given)] as const];
    });
    return { ...body, ...Object.fromEntries(repeated) };
  }

  /** Where the words of a refusal are looked for. */
  get messagePaths(): readonly string[] {
    return [...new Set([this.entry('error.message'), 'message'].flat().map(String))];
  }

  /** Whether it is known where the change of 4.4 goes. */
  get hasChange(): boolean {
    return this.entry('schedule.changeAt') === 'top-level' || this.entry('schedule.changeProperty') !== null;
  }

  private spellChange(change: unknown): [string, unknown][] {
    const spelled = this.spell(change) as object;
    return this.entry('schedule.changeAt') === 'top-level'
      ? Object.entries(spelled)
      : [[String(this.at('schedule.changeProperty')), spelled]];
  }

  private spellLocalTime(time: unknown): unknown {
    return typeof time === 'string' ? localTimeIn(String(this.entry('schedule.dateTimeFormat')), time) : time;
  }

  private spellZone(zone: unknown): unknown {
    return this.entry('schedule.timeZoneAs') === 'offset' ? (offsets[String(zone)] ?? zone) : zone;
  }

  private spellDate(date: unknown): unknown {
    return typeof date === 'string' ? dateIn(String(this.entry('transaction.dateFormat')), date) : this.spell(date);
  }

  private spellText(text: string): unknown {
    const path = /^<([a-z]+(?:\.\w+)+)>$/i.exec(text)?.[1];
    return path === undefined ? text : this.at(path);
  }

  isSuccess(status: number): boolean {
    const statuses = this.entry('success.statuses');
    return Array.isArray(statuses) ? statuses.includes(status) : status >= 200 && status < 300;
  }

  /** For an issue (4.2), whose status the specification does not show. */
  isIssued(status: number): boolean {
    const statuses = this.entry('issue.successStatuses');
    return Array.isArray(statuses) ? statuses.includes(status) : this.isSuccess(status);
  }
}
