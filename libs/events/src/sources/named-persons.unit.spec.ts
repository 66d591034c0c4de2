import { jsonFormat } from '../formats/json-format.js';
import { compileMap } from '../mapping/compile-map.js';
import { mapRecord } from './read-documents.js';

const map = `
items.(
  $who := $$.customer.card;
  {
    "id": id, "type": "loyalty.purchase.completed.v1",
    "data": $merge([
      { "total": { "minor": $minor($$.total, "EUR") } },
      { "memberId": $who, "person": { "email": $$.customer.mail, "firstName": $$.customer.name } }
    ])
  }
)`;

async function persons(value: string | Uint8Array, { key = null as string | null, headers = {}, text = map } = {}) {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  const record = { topic: 't', key: key === null ? null : Buffer.from(key), brokerAt: 0, value: bytes, headers };
  const mapped = await mapRecord(record, { format: jsonFormat, map: compileMap(text) });
  return { kind: mapped.kind, names: [...mapped.persons()].sort() };
}

const order = { customer: { card: 'M-1', mail: 'no address', name: 'Ada' }, items: [{ id: '1' }], total: '59.99' };

describe('whom a record may be about', () => {
  it('is what its map gives as member and address, even where it refuses the rest', async () => {
    const named = ['M-1', 'no address'];
    expect(await persons(JSON.stringify(order))).toEqual({ kind: 'events', names: named });
    expect(await persons(JSON.stringify({ ...order, total: '59.999' }))).toEqual({ kind: 'refused', names: named });
    const others = [{ id: '1' }, { id: '2' }];
    expect(await persons(JSON.stringify({ ...order, items: others, total: 'x' }))).toEqual({
      kind: 'refused',
      names: named,
    });
  });

  it('is who lives on in whom, too', async () => {
    const text = `[{ "id": $time(at, "UTC"), "data": { "memberId": into, "absorbed": [from] } }]`;
    expect(await persons('{"into":"A","from":["B","C"],"at":"never"}', { text })).toEqual({
      kind: 'refused',
      names: ['A', 'B', 'C'],
    });
  });

  it('is its key, and whatever looks like an e-mail address, wherever it stands', async () => {
    const value = { note: 'call Ada <Ada@Example.com>, or bob+x@mail.example.org.', no: ['a@b', '@', 'x@y.z@w.v'] };
    expect(await persons(JSON.stringify(value), { key: 'K-1', headers: { from: 'eve@example.net' } })).toEqual({
      kind: 'ignored',
      names: ['Ada@Example.com', 'K-1', 'bob+x@mail.example.org', 'eve@example.net', 'x@y.z', 'y.z@w.v'],
    });
  });

  it('is found among bytes that no format reads, whatever letters their lengths look like', async () => {
    const value = Buffer.concat([
      Buffer.from([0, 0, 0, 0, 7]),
      Buffer.from('\u001e0ada@example.comD'),
      Buffer.from([0xff]),
    ]);
    const { kind, names } = await persons(value);
    expect(kind).toBe('refused');
    expect(names).toContain('ada@example.com');
  });

  it('is looked for in a bounded time, and a bounded number of times', async () => {
    const many = Array.from({ length: 400 }, (_, at) => `m${at}@example.com`);
    expect((await persons(JSON.stringify({ many }))).names).toHaveLength(256);
    expect((await persons(`${'a'.repeat(64)}@`.repeat(10_000))).names).toEqual([]);
  });
});
