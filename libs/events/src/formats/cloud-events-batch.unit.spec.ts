import { textsOfBatch } from './cloud-events-batch.js';

const headers = { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' };
const read = (text: string, of: Parameters<typeof textsOfBatch>[0]['headers'] = headers) =>
  textsOfBatch({ value: Buffer.from(text), headers: of });

describe('a batch of CloudEvents', () => {
  it('is its events, each as it would have been sent alone, to the last digit', () => {
    const text = '[{"id":"1","data":{"n":12345678901234567890,"m":1.50}}, {"id":"2","data":null}]';
    expect(read(text)).toEqual({
      texts: ['{"id":"1","data":{"n":12345678901234567890,"m":1.50}}', '{"id":"2","data":null}'],
    });
  });

  it.each(['{}', '[]', '[{"id":"1"}]', '[{', ''])('of several is not %s', (text) => {
    expect(read(text)).toBeNull();
  });

  it('is told by its header alone', () => {
    expect(read('[1,2]', { 'content-type': 'application/json' })).toBeNull();
    expect(textsOfBatch({ value: null, headers })).toBeNull();
  });

  it('holds what one transaction takes', () => {
    const of = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, id) => ({ id })));
    expect(read(of(500))).toMatchObject({ texts: expect.any(Array) as string[] });
    expect(read(of(501))).toEqual({ refused: 'value: more than 500 events' });
  });
});
