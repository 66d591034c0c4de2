import { messageCharsMax } from '../../limits.js';
import { DUPLICATE_TEMPLATES, templateProblem } from '../duplicate-template.js';
import { DUPLICATE_PATTERN, dialectSchema, NO_PASS_PATTERN } from '../dialect-schema.js';
import { patternFlags, patternProblem } from './judge-pattern.js';

const { success, schedule } = dialectSchema.parse({});

describe('a pattern of a dialect', () => {
  it.each([
    ...['(a+)+$', '(a+)+b', '(?:a|a)*$', '^(\\w+\\s?)*$', '^(?:receipt|receipt)+$', '(?:x+x+)+y', '([a-z]+)*\\d'],
    // Begun anew is another way than gone on with.
    ...['(a*)*b', '(?:a*)+b', '((a*)*)*c', '(?:a*?)*?b', '(a*b*)*c'],
    // By more than one character, and behind others.
    ...['(?:ab|a|b)+c', '^(([a-z])+.)+[A-Z]([a-z])+$', 'card (?:[^ ]+ ?)+gone', '(?:\\d+|\\w+)+!'],
    // By case and Unicode, as the engine takes them.
    ...['(?:K|\\u212A)+x', '(?:s|\\u017F)+x', '(?:\\p{L}|[^\\d])+!', '(?:\\p{Lu}|\\p{Ll})+!'],
    // Within what looks around.
    ...['(?=(a+)+$)x', '(?!(a+)+$)x', '(?<!(a+)+b)c', 'a(?:(b+)+c)?d'],
    // Counted, or without any loop.
    ...[
      '(.*a){25}$',
      '(a|a){30}b',
      '(?:a?){40}a{40}$',
      '(?:a{1,40}){1,40}b',
      `${'x{0,50}'.repeat(8)}!`,
      `${'\\w{0,30}'.repeat(4)}!`,
    ],
    ...['(?:a|a)'.repeat(30), `(?:b.|zzz${'(?:a|a)'.repeat(30)}q)`, '(?:[ab]|[bc])'.repeat(40), 'a?'.repeat(40)].map(
      (text) => `${text}!`,
    ),
    // Not for ever, and yet for seconds.
    ...['.*.*.*x', '\\s*\\s*\\s*\\s*x', '\\w+\\w+\\w+@'],
  ])('is refused with a text that holds it up: %s', (pattern) => {
    expect(patternProblem(pattern)).toMatch(
      /^takes too long at a text such as ".+", going on like this to \d+ characters/,
    );
  });

  it.each([
    ...[NO_PASS_PATTERN, DUPLICATE_PATTERN, success.denied.pattern, success.denied.statusPattern],
    ...[schedule.confirmation.pattern, '.*already.*exists.*', '(?:\\w+ ){0,3}taken', '\\p{L}+ is a duplicate$'],
    ...['Karte .* unbekannt', 'Karte .* nicht .* bekannt', '[^ ]+ already exists', '\\w+@\\w+', '\\s+$', 'not found'],
    ...['^(?:[a-z]+ )*bekannt$', '(?:\\d{6}|[a-z])*x', '.{0,80}taken.{0,80}by.{0,80}', '(?<n>a)|b', '(?:a?)*b'],
    // Nothing that it could fail at follows.
    ...['.*', '(?:a|a)*', '(a+)+'],
  ])('is taken: %s', (pattern) => {
    expect(patternProblem(pattern)).toBeNull();
  });

  it.each([
    ['(a)\\1', /^refers back to what it has matched/],
    [`(?:${'\\w{0,40}'.repeat(49)}){0,40}!`, /^(?:has more than|has too many|takes too long)/],
    [`(?:${'(?:|)'.repeat(40)}a)+`, /^has too many ways/],
  ])('is refused where nobody can tell: %s', (pattern, problem) => {
    expect(patternProblem(pattern)).toMatch(problem);
  });

  it('holds nothing up at the text that is named of a neighbour', () => {
    // The bound is by count of tries: what is taken must end soon, whatever the machine does beside.
    for (const pattern of ['.*already.*exists.*', 'Karte .* nicht .* bekannt', '\\w+@\\w+']) {
      for (const unit of ['a', 'already ', 'karte nicht ', 'Karte ']) {
        const text = unit.repeat(messageCharsMax).slice(0, messageCharsMax - 1);
        expect(new RegExp(pattern, patternFlags).test(`${text}\u0001`)).toBe(false);
      }
    }
  });
});

describe('a template of refusals', () => {
  it.each(DUPLICATE_TEMPLATES)('of ours is taken: %s', (template) => {
    expect(templateProblem(template)).toBeNull();
  });

  it.each([`${'(a|)'.repeat(30)} <value>`, `${'(a|b|a|a|a)'.repeat(19)} <value>`])(
    'is refused where each group doubles what is tried: %s',
    (template) => {
      expect(templateProblem(template)).toMatch(/^takes too long at a text such as/);
    },
  );
});
