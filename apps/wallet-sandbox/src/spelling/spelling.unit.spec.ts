import type { z } from 'zod';
import {
  brandAttributeBodySchema,
  brandAttributeChangesSchema,
  brandAttributeSchema,
  transactionAttributeBodySchema,
  transactionAttributeSchema,
} from '../contract/administration-bodies.js';
import { listingQuerySchema, rewardQuerySchema, transactionQuerySchema } from '../contract/queries.js';
import { scheduleBodySchema } from '../contract/schedule-body.js';
import { issueBodySchema, workflowBodySchema } from '../contract/wallet-pass.js';
import { defaultSeed, parseSeed } from '../seed/load-seed.js';
import { type PlaceName, places, spellingSchema } from './spelling-schema.js';
import { Spelling } from './spelling.js';

const spellingOf = (choice: object): Spelling => new Spelling(spellingSchema.parse(choice));

describe('a seed that chooses nothing', () => {
  const spelling = spellingOf({});

  it('hands everything through as it is', () => {
    const body = { templateTierId: 1 };
    expect(spelling.readBody('issue', body)).toBe(body);
    expect(spelling.readQuery('list', body)).toBe(body);
    expect(spelling.writeAnswer('issue', body)).toBe(body);
    expect([spelling.successStatus('issue'), spelling.successStatus('reward')]).toEqual([200, 200]);
  });
});

describe('names', () => {
  it('may be swapped', () => {
    const spelling = spellingOf({ issue: { brandId: 'programId', programId: 'brandId' } });
    expect(spelling.readBody('issue', { brandId: 2001, programId: 101 })).toEqual({ programId: 2001, brandId: 101 });
  });

  it('that are spelled otherwise are unknown', () => {
    const spelling = spellingOf({ list: { pageSize: 'size' } });
    expect(() => spelling.readQuery('list', { pageSize: '5' })).toThrow('Unrecognized key: "pageSize"');
  });

  it('like __proto__ stay names', () => {
    const spelling = spellingOf({ list: { pageSize: 'size' } });
    const query = spelling.readQuery('list', JSON.parse('{"__proto__":"x","size":"5"}'));
    expect(Object.keys(query as object)).toEqual(['__proto__', 'pageSize']);
  });

  it.each([
    [{ list: { pageSize: 'email' } }, 'email'],
    [{ list: { pageSize: 'pageNumber' } }, 'pageNumber'],
    [{ issue: { ipAddress: 'ip', groupId: 'ip' } }, 'ip'],
  ])('that meet are refused: %j', (choice, name) => {
    expect(() => parseSeed({ ...defaultSeed, spelling: choice })).toThrow(`${name} would be the name of two things`);
  });

  it.each([{ issue: { colour: 'color' } }, { lists: {} }, { createdStatus: 404 }, { list: { pageSize: '' } }])(
    'that nobody has are refused: %j',
    (choice) => {
      expect(() => parseSeed({ ...defaultSeed, spelling: choice })).toThrow('spelling');
    },
  );
});

describe('times and changes of a schedule', () => {
  const at = (choice: object, body: object): unknown => spellingOf(choice).readBody('schedule-update', body);

  it('come in the form that was chosen, and in no other', () => {
    const pair = { scheduledDateTime: '2026-12-01T09:00:00', timeZone: 'UTC' };
    const space = { scheduleDateTime: 'space' };
    expect(at(space, { ...pair, scheduledDateTime: '2026-12-01 09:00:00' })).toEqual(pair);
    expect(at(space, pair)).toEqual({ ...pair, scheduledDateTime: '(unknown)' });
    const compact = { scheduleDateTime: 'compact', scheduleZone: 'offset' };
    const utc = { scheduledDateTime: '2026-12-01T08:00:00', timeZone: 'UTC' };
    expect(at(compact, { scheduledDateTime: '20261201T090000', timeZone: '+01:00' })).toEqual(utc);
    expect(at(compact, { scheduledDateTime: '20261201T090000', timeZone: 'UTC' })).toEqual({
      scheduledDateTime: '2026-12-01T09:00:00',
      timeZone: '(unknown)',
    });
  });

  it('lie beside the documented properties where that was chosen', () => {
    const choice = { scheduleChange: 'top-level', issue: { templateTierId: 'tier' } };
    expect(at(choice, { scheduledName: 'x', tier: 2, passdata: {} })).toEqual({
      scheduledName: 'x',
      update: { templateTierId: 2, passdata: {} },
    });
    expect(at(choice, { scheduledName: 'x', filters: {} })).toEqual({ scheduledName: 'x', filters: {} });
    expect(at(choice, { scheduledName: 'x', update: {} })).toEqual({ scheduledName: 'x', update: { update: {} } });
  });
});

it('a transaction has its date in the form that was chosen', () => {
  const read = (transactionDate: string, date: string): unknown =>
    spellingOf({ transactionDate }).readBody('transaction', { transactionDate: date });
  expect(read('compact', '20261121T091504Z')).toEqual({ transactionDate: '20261121T091504Z' });
  expect(read('compact', '2026-11-21T09:15:04Z')).toEqual({ transactionDate: '(unknown)' });
  expect(read('any', 'whatever')).toEqual({ transactionDate: 'whatever' });
});

it('a body that is no object is left to its schema', () => {
  const spelling = spellingOf({ issue: { ipAddress: 'ip' } });
  for (const body of [undefined, null, 5, ['ip']]) expect(spelling.readBody('issue', body)).toBe(body);
});

/** The schemas that validate or describe what stands in a place; together they know its names. */
const schemas: Readonly<Record<PlaceName, readonly z.ZodObject[]>> = {
  issue: [issueBodySchema, workflowBodySchema],
  list: [listingQuerySchema],
  reward: [rewardQuerySchema],
  transaction: [transactionQuerySchema],
  schedule: [scheduleBodySchema],
  scheduleFilters: [scheduleBodySchema.shape.filters.unwrap()],
  brandAttribute: [brandAttributeBodySchema, brandAttributeChangesSchema, brandAttributeSchema],
  transactionAttribute: [transactionAttributeBodySchema, transactionAttributeSchema],
};

it.each(Object.keys(places) as PlaceName[])('the names of %s are those of its schemas', (name) => {
  const known = new Set(schemas[name].flatMap((schema) => Object.keys(schema.shape)));
  expect(new Set([...places[name].open, ...places[name].documented])).toEqual(known);
});

it('a refusal has its shape and status where they are not shown, and the documented ones elsewhere', () => {
  const spelling = spellingOf({ errorMessage: 'errors.0.detail', errorStatus: 422 });
  const refusal = { status: 400, body: { message: 'no', code: 7 } };
  expect(spelling.writeRefusal('transaction', refusal)).toEqual({
    status: 422,
    body: { code: 7, errors: [{ detail: 'no' }] },
  });
  expect(spelling.writeRefusal('reward', { ...refusal, status: 404 }).status).toBe(404);
  expect(spelling.writeRefusal('issue', refusal)).toEqual(refusal);
});

it('a pass is named in the way that was chosen, and in no other', () => {
  const spelling = spellingOf({ rewardBy: 'passId', transactionBy: 'serialNumber', reward: { passId: 'pass' } });
  expect(spelling.readQuery('reward', { pass: '7' })).toEqual({ passId: '7' });
  expect(() => spelling.readQuery('reward', { unique_id: 'm_1' })).toThrow('passId: is required');
  expect(() => spelling.readQuery('transaction', { unique_id: 'm_1' })).toThrow('serialNumber: is required');
});
