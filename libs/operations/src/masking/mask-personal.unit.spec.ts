import { isJson, maskedPaths, maskedText, maskEvidence, maskPersonal } from './mask-personal.js';

describe('what the API shows of a person', () => {
  it('is nothing but the shape', () => {
    const data = {
      program: 'coffee-club',
      memberId: 'm-1',
      person: { firstName: 'Ada' },
      ipAddress: '10.0.0.1',
      metaData: { a: 1 },
      total: { minor: 5_999, currency: 'EUR' },
      nickname: 'Countess',
    };
    expect(maskPersonal({ type: 'loyalty.member.enrolled.v1', data })).toEqual({
      type: 'loyalty.member.enrolled.v1',
      data: {
        program: 'coffee-club',
        memberId: 'm-1',
        person: maskedText,
        ipAddress: maskedText,
        metaData: maskedText,
        total: { minor: 5_999, currency: 'EUR' },
        nickname: maskedText,
      },
    });
  });

  it('is masked within texts that hold JSON, and wholly where a body is no JSON', () => {
    const body = JSON.stringify({ message: 'Ada is not known', code: 7 });
    expect(maskPersonal({ response: { status: 400, body } })).toEqual({
      response: { status: 400, body: JSON.stringify({ message: maskedText, code: 7 }) },
    });
    expect(maskPersonal({ response: { status: 500, body: '<p>Ada</p>' } })).toEqual({
      response: { status: 500, body: maskedText },
    });
  });

  it('is nothing of what we say ourselves', () => {
    expect(maskEvidence({ detail: 'data.total: required', response: { body: 'Ada' } })).toEqual({
      detail: 'data.total: required',
      response: { body: maskedText },
    });
    expect(maskEvidence(null)).toBeNull();
  });

  it('is nothing of what nests deeper than any event, however deep', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(isJson(deep)).toBe(false);
    expect(maskPersonal(deep)).toBe(maskedText);
    expect(maskPersonal({ id: deep })).toEqual({ id: maskedText });
  });
});

describe('what was copied from a masked answer', () => {
  it('is found wherever it stands, whole or as a part of a text', () => {
    const shown = maskPersonal({
      amount: '1.00',
      attributes: { receipt: 'B07', store: 'berlin' },
      content: { person: { firstName: 'Ada' }, tierId: 2 },
    });
    expect(maskedPaths(shown)).toEqual(['attributes.receipt', 'attributes.store', 'content.person']);
    expect(maskedPaths({ list: ['a', { deep: [`x ${maskedText}`] }] })).toEqual(['list.1.deep.0']);
    expect(maskedPaths(maskedText)).toEqual(['']);
  });

  it('is nothing where nothing was masked', () => {
    expect(maskedPaths({ a: null, b: 1, c: ['..', '••', ''], d: { e: true } })).toEqual([]);
    expect(maskedPaths(undefined)).toEqual([]);
  });

  it('is told in few words, however much was copied, and found however deep', () => {
    expect(maskedPaths(Array.from({ length: 200_000 }, () => maskedText))).toHaveLength(10);
    let deep: unknown = maskedText;
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(maskedPaths(deep)).toHaveLength(1);
  });
});
