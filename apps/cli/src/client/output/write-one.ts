import type { Terminal } from '../terminal/terminal.js';
import type { Paint } from './colours.js';
import { paintFor } from './colours.js';
import type { OutputFormat } from './formats.js';
import { safeJson, safeLine } from './safe-text.js';
import { yamlText } from './yaml-text.js';

/** How one thing is shown. */
export interface OneView<T> {
  /** Text for people, with its line breaks; made of safe text. */
  readonly text: (item: T, paint: Paint) => string;
  readonly nameOf: (item: T) => string;
}

/** Writes one thing in a format. */
export async function writeOne<T>(
  terminal: Terminal,
  view: OneView<T>,
  shown: { readonly item: T; readonly format: OutputFormat },
): Promise<void> {
  const { item, format } = shown;
  await terminal.print(await textOf(view, item, { format, paint: paintFor(terminal) }));
}

async function textOf<T>(
  view: OneView<T>,
  item: T,
  { format, paint }: { readonly format: OutputFormat; readonly paint: Paint },
): Promise<string> {
  switch (format) {
    case 'json':
      return `${safeJson(item, 2)}\n`;
    case 'jsonl':
      return `${safeJson(item)}\n`;
    case 'yaml':
      return yamlText(item);
    case 'name':
      return `${safeLine(view.nameOf(item))}\n`;
    case 'table':
    case 'wide':
      return view.text(item, paint);
  }
}
