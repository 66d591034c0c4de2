import { SettingError, type SettingPath, settingPathText } from './setting-path.js';

type Holder = Record<string, unknown> | unknown[];

export interface AppliedSetting {
  readonly path: SettingPath;
  readonly value: unknown;
}

/**
 * Sets a value in an event, in place; what is missing on the way is made, a list where a number follows. A list grows by
 * one member at most.
 * @throws {SettingError} when something on the way is neither an object nor a list
 */
export function applySetting(event: Record<string, unknown>, { path, value }: AppliedSetting): void {
  let holder: Holder = event;
  for (const [at, name] of path.slice(0, -1).entries()) {
    checkIndex(holder, path, at);
    const next: unknown = Reflect.get(holder, name);
    const known = isHolder(next) ? next : made(next, path, at);
    Reflect.set(holder, name, known);
    holder = known;
  }
  checkIndex(holder, path, path.length - 1);
  Reflect.set(holder, path.at(-1) ?? '', value);
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

function made(value: unknown, path: SettingPath, at: number): Holder {
  if (value === undefined || value === null) return isIndex(path[at + 1] ?? '') ? [] : {};
  throw new SettingError(`${settingPathText(path)}: ${settingPathText(path.slice(0, at + 1))} is not an object`);
}

function checkIndex(holder: Holder, path: SettingPath, at: number): void {
  if (!Array.isArray(holder)) return;
  const name = path[at] ?? '';
  if (isIndex(name) && Number(name) <= holder.length) return;
  const list = settingPathText(path.slice(0, at));
  throw new SettingError(`${settingPathText(path)}: ${list} is a list of ${holder.length}, counted from 0`);
}

function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(name);
}
