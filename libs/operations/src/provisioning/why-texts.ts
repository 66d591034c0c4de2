import type { ProvisionStep } from '#domain';

/** What a plan says of a step, for people. */
export const whyTexts: Readonly<Record<ProvisionStep['why'], string>> = {
  'not-made-yet': 'We have not made it yet.',
  'not-set-yet': 'We have not told the partner yet.',
  differs: 'It differs from what we told the partner last.',
  'update-in-doubt':
    'Nobody knows whether the last change took effect. The same values are set once more, which does no harm.',
  'as-sent': 'We told the partner so, and it was accepted.',
  'under-way': 'A call is under way.',
  'in-doubt':
    'Nobody knows whether an earlier call made it. It is not made again before a person has looked at the partner and resolved the step.',
  'may-still-apply': 'An earlier change may still take effect, and would undo this one. Apply again later.',
  'said-to-exist': 'The programs file says that it is there already. What it is like cannot be read.',
  'no-call':
    'It differs from what we made, and the partner has no call to change it. Change it there, then declare `exists: true`.',
  'no-id': 'It differs from what we made, and its id was not answered. Give it as `id`.',
  'not-made-by-us': 'The programs file uses it, and we did not make it. What it is like cannot be read.',
  'cannot-be-listed':
    'There may be more that is not declared: the partner lists neither attributes nor types nor templates.',
  'nothing-is-deleted':
    'We made it, and the programs file does not declare it any more. The partner has no call to delete it.',
};
