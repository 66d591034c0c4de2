import { isJson, maskedText, maskEvidence, maskPersonal } from './mask-personal.js';

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
