import { eventText, lastEventId } from './stream-event.js';

describe('an event of the stream', () => {
  it('is written as Server-Sent Events are, whatever its data holds', () => {
    const text = eventText({ name: 'action', data: { reason: 'two\nlines\r\n\ndata: x' }, id: 7 });
    expect(text).toBe('event: action\nid: 7\ndata: {"reason":"two\\nlines\\r\\n\\ndata: x"}\n\n');
    expect(eventText({ name: 'pause', data: [] })).toBe('event: pause\ndata: []\n\n');
  });

  it.each([
    ['12', 12],
    ['0', 0],
    ['', null],
    ['-1', null],
    ['1e3', null],
    ['9'.repeat(16), null],
    [undefined, null],
    [['1', '2'], null],
  ])('%j names the last one: %j', (header, id) => {
    expect(lastEventId(header)).toBe(id);
  });
});
