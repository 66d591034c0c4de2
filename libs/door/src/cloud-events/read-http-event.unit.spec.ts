import type { HttpRequest } from './read-http-event.js';
import { batchEventsMax, readHttpEvents } from './read-http-event.js';

const read = (contentType: string | undefined, body: string | Buffer, more: HttpRequest['headers'] = {}) =>
  readHttpEvents({
    headers: { ...more, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    body: Buffer.from(body),
  });

const eventsOf = (...given: Parameters<typeof read>) => {
  const events = read(...given);
  if (events.kind !== 'events') throw new Error(events.detail);
  return events.events.map(({ value, headers }) => ({ value: Buffer.from(value).toString(), headers }));
};

const structured = { 'content-type': 'application/cloudevents+json' };

describe('a request to a CloudEvent', () => {
  it('keeps a structured one byte by byte', () => {
    const body = '{ "specversion" : "1.0",\n "data":{"total":59.90} }';
    for (const type of ['application/cloudevents+json', 'Application/CloudEvents+JSON; charset=UTF-8']) {
      expect(eventsOf(type, body)).toEqual([{ value: body, headers: structured }]);
    }
  });

  it('takes a batch apart, and keeps each number as it was written', () => {
    const body = '[{"id":"a","n":12345678901234567890.10},{"id":"b","n":[1e400,-0.0],"s":"1.10 ü"}]';
    expect(eventsOf('application/cloudevents-batch+json', body)).toEqual([
      { value: '{"id":"a","n":12345678901234567890.10}', headers: structured },
      { value: '{"id":"b","n":[1e400,-0.0],"s":"1.10 ü"}', headers: structured },
    ]);
    expect(eventsOf('application/cloudevents-batch+json', '[]')).toEqual([]);
  });

  it('makes headers of the attributes of a binary one, and keeps its data', () => {
    const headers = {
      'ce-specversion': '1.0',
      'ce-id': '01JD',
      'ce-source': '/pos/m%C3%BCnchen%2007',
      'ce-comment': '"with \\"quotes\\" and 50%25"',
      'x-other': 'not ours',
      authorization: 'Bearer secret',
    };
    expect(eventsOf('application/json', '{"a": 1.10}', headers)).toEqual([
      {
        value: '{"a": 1.10}',
        headers: {
          'content-type': 'application/json',
          ce_specversion: '1.0',
          ce_id: '01JD',
          ce_source: '/pos/münchen 07',
          ce_comment: 'with "quotes" and 50%',
        },
      },
    ]);
  });

  it.each([
    ['neither structured nor binary', read('application/json', '{}'), 415],
    ['without any type', read(undefined, '{}'), 415],
    ['in XML', read('application/cloudevents+xml', '<a/>'), 415],
    ['in another charset', read('application/cloudevents+json; charset=latin1', '{}'), 415],
    ['a batch that is no list', read('application/cloudevents-batch+json', '{}'), 400],
    ['a batch of numbers', read('application/cloudevents-batch+json', '[1]'), 400],
    ['a batch of lists', read('application/cloudevents-batch+json', '[[]]'), 400],
    ['a batch that is cut off', read('application/cloudevents-batch+json', '[{"a":1}'), 400],
    ['a batch that is no UTF-8', read('application/cloudevents-batch+json', Buffer.from([0x5b, 0xff, 0x5d])), 400],
    [
      'a batch that nests deep',
      read('application/cloudevents-batch+json', `[${'{"a":'.repeat(80)}1${'}'.repeat(80)}]`),
      400,
    ],
    [
      'too large a batch',
      read('application/cloudevents-batch+json', JSON.stringify(Array(batchEventsMax + 1).fill({}))),
      413,
    ],
    ['broken percent-encoding', read('application/json', '{}', { 'ce-specversion': '1.0', 'ce-id': '%zz' }), 400],
    ['percent-encoding of no UTF-8', read('application/json', '{}', { 'ce-specversion': '1.0', 'ce-id': '%ff' }), 400],
    ['raw bytes in a header', read('application/json', '{}', { 'ce-specversion': '1.0', 'ce-id': 'mü' }), 400],
    [
      'an attribute that comes twice',
      read('application/json', '{}', { 'ce-specversion': '1.0', 'ce-id': ['a', 'b'] }),
      400,
    ],
  ])('is refused: %s', (_what, given, status) => {
    expect(given).toMatchObject({ kind: 'refused', status });
  });
});
