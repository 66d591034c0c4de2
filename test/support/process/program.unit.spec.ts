import { Undo } from './program.js';

describe('undoing', () => {
  it('undoes the last step first, after the work', async () => {
    const undo = new Undo();
    const done: string[] = [];
    for (const name of ['first', 'second']) undo.add(async () => done.push(name));
    expect(await undo.after(async () => done.push('work'))).toBe(1);
    expect(done).toEqual(['work', 'second', 'first']);
  });

  it('tries every step, though the work and a step fail', async () => {
    const undo = new Undo();
    const done: string[] = [];
    undo.add(async () => done.push('first'));
    undo.add(() => Promise.reject(new Error('stuck')));
    await expect(undo.after(() => Promise.reject(new Error('work')))).rejects.toThrow('work');
    expect(done).toEqual(['first']);
  });

  it('tells of a step that failed after work that did not', async () => {
    const undo = new Undo();
    undo.add(() => Promise.reject(new Error('stuck')));
    await expect(undo.after(async () => 1)).rejects.toThrow('stuck');
  });
});
