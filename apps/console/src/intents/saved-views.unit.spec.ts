import { builtInViews, isShown, nameObstacle, parseViews } from './saved-views.js';

it.each([null, '', '{', '"x"', '[{"name":1}]', '[null]'])('reads nothing from %s', (text) => {
  expect(parseViews(text)).toEqual([]);
});

it('keeps filters alone', () => {
  const stored = JSON.stringify([{ name: 'Berlin', search: { store: 'berlin', other: 'x', status: 3 } }]);
  expect(parseViews(stored)).toEqual([{ name: 'Berlin', search: { store: 'berlin' } }]);
});

it('knows which one is shown, in whatever order its filters stand', () => {
  const view = { name: 'x', search: { store: 'berlin', status: 'parked' } };
  expect(isShown(view, { status: 'parked', store: 'berlin' })).toBe(true);
  expect(isShown(view, { status: 'parked' })).toBe(false);
});

it('takes no name that is taken', () => {
  expect(nameObstacle(' ', [])).not.toBeNull();
  expect(nameObstacle(builtInViews[1]!.name.toLowerCase(), [])).not.toBeNull();
  expect(nameObstacle('Berlin', [])).toBeNull();
});
