import { EventStreamReader, type StreamEvent } from './event-stream.js';

const text = ': hello\n\nevent: stats\ndata: {"a":1}\n\nid: 7\nevent: action\ndata: one\ndata: two\n\ndata:x\n\n';
const events: readonly StreamEvent[] = [
  { name: 'stats', data: '{"a":1}', id: '' },
  { name: 'action', data: 'one\ntwo', id: '7' },
  { name: 'message', data: 'x', id: '7' },
];

const readAll = (pieces: readonly string[]): readonly StreamEvent[] => {
  const reader = new EventStreamReader();
  return pieces.flatMap((piece) => reader.read(piece));
};

describe('a reader of Server-Sent Events', () => {
  it('reads what comes at once', () => {
    expect(readAll([text])).toEqual(events);
  });

  it.each([1, 2, 3, 5, 7])('reads what is cut every %s letters', (length) => {
    const pieces = text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
    expect(readAll(pieces)).toEqual(events);
  });

  it.each(['\r\n', '\r'])('reads lines that end with %j', (end) => {
    // A CR at the very end may be half of a CR LF: the next letter says.
    const letters = `${text.replaceAll('\n', end)}:`.match(/[\s\S]/g) ?? [];
    expect(readAll(letters)).toEqual(events);
  });

  it('makes no event of what has no data, and none of what is not complete', () => {
    expect(readAll(['event: stats\n\n', 'data: 1\n'])).toEqual([]);
  });
});
