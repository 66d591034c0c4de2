import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

import { ConnectionTable } from './connection-table.js';

class Line extends EventEmitter {
  isOpen = true;

  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }
}

const socketOf = (line: Line): Socket => line as unknown as Socket;

describe('more connections than there may be', () => {
  let table: ConnectionTable;
  let lines: Line[];
  let now: number;
  /** Between one that comes and the next. */
  let pauseMs: number;

  beforeEach(() => {
    table = new ConnectionTable({ connectionsMax: 4, connectionsWithoutTokenMin: 1 }, () => now);
    lines = [];
    now = 0;
    pauseMs = 1_000;
  });

  const open = (): Socket => {
    const line = new Line();
    lines.push(line);
    now += pauseMs;
    table.opened(socketOf(line));
    return socketOf(line);
  };
  /** In the order in which they came, who is still there. */
  const left = (): number[] => lines.flatMap(({ isOpen }, at) => (isOpen ? [at] : []));

  it('push out the oldest that has asked for nothing, never the new one', () => {
    for (let count = 0; count < 6; count += 1) open();
    expect(left()).toEqual([2, 3, 4, 5]);
  });

  it('push out those first of which nothing useful has come, then idle ones, then those without a token', () => {
    const [admitted, served, idle] = [open(), open(), open()];
    open();
    expect(table.admitted(admitted)).toBe(true);
    table.served(served);
    table.served(idle);
    table.answered(idle);
    open();
    expect(left()).toEqual([0, 1, 2, 4]);
    table.served(socketOf(lines[4] ?? new Line()));
    open();
    expect(left()).toEqual([0, 1, 4, 5]);
  });

  it('regression: do not push out who has just come where others are long in being answered, nor who has just asked', () => {
    const neverRead = [open(), open(), open()];
    for (const socket of neverRead) table.served(socket);
    pauseMs = 1;
    now += 1_000;
    const probe = open();
    open();
    expect(left()).toEqual([1, 2, 3, 4]);
    table.served(probe);
    open();
    expect(left()).toEqual([2, 3, 4, 5]);
  });

  it('push out the oldest of those who have just come where all have', () => {
    pauseMs = 1;
    for (let count = 0; count < 6; count += 1) open();
    expect(left()).toEqual([2, 3, 4, 5]);
  });

  it('leave places for others where all carry tokens, and give those back that have been answered', () => {
    const sockets = [open(), open(), open(), open()];
    expect(sockets.map((socket) => table.admitted(socket))).toEqual([true, true, true, false]);
    table.answered(socketOf(lines[0] ?? new Line()));
    expect(table.admitted(sockets[3] ?? socketOf(new Line()))).toBe(true);
    open();
    expect(left()).toEqual([1, 2, 3, 4]);
  });

  it('are not remembered once they are closed, and one that was refused stays the first to go', () => {
    const refused = open();
    table.answered(refused);
    lines[0]?.destroy();
    table.served(refused);
    for (let count = 0; count < 4; count += 1) open();
    expect(left()).toEqual([1, 2, 3, 4]);
  });

  it('are closed at the end, unless something is being answered', () => {
    const [served, idle] = [open(), open()];
    open();
    table.served(served);
    table.served(idle);
    table.answered(idle);
    table.closeIdle();
    expect(left()).toEqual([0]);
  });
});
