import { type PassCondition, selectionSql } from './pass-condition.js';

const program = { brandId: '101', programId: '2001' };

it('asks for the program alone without conditions', () => {
  expect(selectionSql({ ...program, conditions: [] })).toEqual({
    suffix: '',
    where: 'p.brand_id = $1 AND p.program_id = $2',
    parameters: ['101', '2001'],
  });
});

it('asks for every condition, values apart from the text', () => {
  const conditions: PassCondition[] = [
    { field: 'uniqueId', comparison: 'eq', value: "'; DROP TABLE pass" },
    { field: 'status', comparison: 'gte', value: 200 },
    { field: 'updatedAt', comparison: 'lt', value: 5 },
  ];
  expect(selectionSql({ ...program, conditions })).toMatchObject({
    where: 'p.brand_id = $1 AND p.program_id = $2 AND p.unique_id = $3 AND p.status >= $4 AND p.updated_at < $5',
    parameters: ['101', '2001', "'; DROP TABLE pass", 200, 5],
  });
});

it('names no two texts alike', () => {
  const fields = ['uniqueId', 'personId', 'serialNumber', 'groupId', 'templateId', 'status', 'updatedAt'] as const;
  const singles = fields.flatMap((field) =>
    (['eq', 'lt', 'gt', 'lte', 'gte'] as const).map((comparison) => ({ field, comparison, value: 1 })),
  );
  const combinations = [...singles.map((one) => [one]), ...singles.flatMap((a) => singles.map((b) => [a, b]))];
  const texts = combinations.map((conditions) => selectionSql({ ...program, conditions }));
  expect(new Set(texts.map((text) => text.suffix)).size).toBe(new Set(texts.map((text) => text.where)).size);
});
