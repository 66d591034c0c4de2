import { answersKnownPass, factsOf, groupOf, needsPass, OPERATIONS, operationsThat, touchesPass } from './operation.js';

it('the table of operations says what each is to the pass', () => {
  expect(operationsThat('makes')).toEqual(['issue', 'issue-via-workflow']);
  expect(operationsThat('changes')).toEqual(['update-via-workflow', 'schedule-update']);
  expect(operationsThat('makes', 'changes')).toEqual([
    'issue',
    'issue-via-workflow',
    'update-via-workflow',
    'schedule-update',
  ]);
  expect(OPERATIONS.filter(needsPass)).toEqual(['transaction', 'reward']);
  expect(OPERATIONS.filter((operation) => !touchesPass(operation))).toEqual(operationsThat('makes'));
  expect(OPERATIONS.filter(answersKnownPass)).toEqual(['update-via-workflow', 'reward']);
  expect(OPERATIONS.map(groupOf)).toEqual(['issue', 'issue', 'update', 'transaction', 'reward', 'schedule-update']);
});

it('gives each operation a number of its own, below those of what is held more narrowly; a number never changes its meaning', () => {
  const slots = OPERATIONS.map((operation) => factsOf(operation).slot);
  expect(slots).toEqual([1, 2, 3, 4, 5, 6]);
  expect(Math.max(...slots)).toBeLessThan(16);
});
