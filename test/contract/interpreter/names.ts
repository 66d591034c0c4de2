import { NotRun } from './scope.js';
import { valueAt } from './value-at.js';

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
    const path = /^<(.+)\?>$/.exec(key)?.[1];
    if (path === undefined) return [[String(this.spellText(key)), this.spell(item)]];
    const property = this.entry(path);
    return typeof property === 'string' ? [[property, item]] : Object.entries(item as object);
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
