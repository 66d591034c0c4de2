import {
  auditQuerySchema,
  INTENT_OPERATIONS,
  INTENT_STATUSES,
  intentQuerySchema,
  quarantineQuerySchema,
  replayItemsQuerySchema,
  replayQuerySchema,
} from '#contracts';

import { auditKeys, intentKeys, operations, quarantineKeys, replayItemKeys, replayKeys } from './query-keys.js';

function keysOf(schema: { readonly shape: object }): string[] {
  return Object.keys(schema.shape).filter((key) => key !== 'cursor' && key !== 'limit');
}

describe('the keys of queries', () => {
  it('are those of the operations API', () => {
    expect(Object.keys(intentKeys).sort()).toEqual(keysOf(intentQuerySchema).sort());
    expect(Object.keys(replayKeys).sort()).toEqual(keysOf(replayQuerySchema).sort());
    expect(Object.keys(auditKeys).sort()).toEqual(keysOf(auditQuerySchema).sort());
    expect(Object.keys(quarantineKeys)).toEqual(expect.arrayContaining(keysOf(quarantineQuerySchema)));
  });

  it('allow the values that the operations API allows', () => {
    expect(intentKeys.status).toEqual(INTENT_STATUSES);
    expect(operations).toEqual(INTENT_OPERATIONS);
    expect(replayItemKeys.state).toEqual(replayItemsQuerySchema.shape.state.unwrap().options);
  });
});
