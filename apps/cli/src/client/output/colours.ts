import type { Terminal } from '../terminal/terminal.js';

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 } as const;

export type Colour = keyof typeof codes;

export type Paint = (text: string, colour: Colour | null) => string;

const plain: Paint = (text) => text;

const painted: Paint = (text, colour) =>
  colour === null || text === '' ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`;

/** Colours are for people: not in a pipe, nor where `NO_COLOR` or a terminal that knows none forbids them. */
export function paintFor({ isOutputSeen, env }: Pick<Terminal, 'isOutputSeen' | 'env'>): Paint {
  const isForbidden = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return isOutputSeen && !isForbidden ? painted : plain;
}

const statusColours: Readonly<Record<string, Colour>> = {
  parked: 'red',
  failed: 'red',
  stopped: 'red',
  unknown: 'yellow',
  paused: 'yellow',
  warning: 'yellow',
  delivered: 'green',
  done: 'green',
  ok: 'green',
  cancelled: 'dim',
  skipped: 'dim',
};

/** How a status or a state is coloured. */
export function statusColour(status: string): Colour | null {
  return statusColours[status] ?? null;
}
