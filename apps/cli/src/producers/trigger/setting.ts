import { readSettingPath, SettingError, type SettingPath } from './setting-path.js';

/** One `--set path=value`. */
export interface Setting {
  readonly path: SettingPath;
  /** As written; may hold `{n}`. */
  readonly text: string;
}

/** What the number of an event is written for in values, members and programs. */
const numberMark = '{n}';

/** @throws {SettingError} */
export function readSetting(words: string): Setting {
  const at = words.indexOf('=');
  if (at === -1) throw new SettingError(`${words}: must be path=value`);
  return { path: readSettingPath(words.slice(0, at)), text: words.slice(at + 1) };
}

/** With the event's own number, from 1, in place of `{n}`. */
export function numbered(text: string, number: number): string {
  return text.replaceAll(numberMark, String(number));
}

/** JSON where it parses, else the text itself. A value that is a number but must be text goes in quotes: `"42"`. */
export function settingValue({ text }: Setting, number: number): unknown {
  const written = numbered(text, number);
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return written;
  }
}
