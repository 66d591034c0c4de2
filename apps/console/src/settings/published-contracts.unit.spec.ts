import { contractsIn } from './published-contracts.js';

it('finds the topics of each event type', () => {
  const answer = {
    asyncapi: {
      channels: { members: { address: 'loyalty.members', messages: { 'a.v1': {} } }, dead: { address: 'x' } },
    },
    schemas: { 'a.v1': { type: 'object' }, 'b.v1': {} },
  };
  expect(contractsIn(answer)).toEqual([
    { name: 'a.v1', topics: ['loyalty.members'], schema: { type: 'object' } },
    { name: 'b.v1', topics: [], schema: {} },
  ]);
});

it.each([null, {}, undefined])('finds nothing in %j', (answer) => {
  expect(contractsIn(answer)).toEqual([]);
});
