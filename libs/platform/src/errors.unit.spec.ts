import { stackOf } from './errors.js';

describe('where an error came from', () => {
  it('leaves nothing of a message in the stack', () => {
    const error = new SyntaxError('Unexpected token in "ada@example.org"\nat ada@example.org');
    expect(stackOf(error).join()).not.toContain('ada');
    expect(stackOf(error).length).toBeGreaterThan(0);
    expect(stackOf(new Error('unit.spec')).join()).toContain('errors.unit.spec');
    expect(stackOf(new Error()).length).toBeGreaterThan(0);
  });
});
