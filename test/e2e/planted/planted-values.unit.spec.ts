import { findPlanted } from './planted-values.js';

const value = 'ada@planted.example';
const bytes = Buffer.from(`x${value}y`);

describe('findPlanted', () => {
  it.each([
    ['as it is', `{"email":"${value}"}`],
    ['in capitals', value.toUpperCase()],
    ['in an address', `?email=${encodeURIComponent(value)}`],
    ['in hex', `\\x${bytes.toString('hex')}`],
    ['in Base64', bytes.toString('base64')],
    ['in Base64, one further', Buffer.concat([Buffer.from('z'), bytes]).toString('base64')],
    ['in Base64, two further', Buffer.concat([Buffer.from('zz'), bytes]).toString('base64')],
    ['as numbers', JSON.stringify(bytes)],
  ])('finds a value %s', (_look, text) => {
    expect(findPlanted([{ where: 'here', text }], { email: value })).toEqual(['here: email']);
  });

  it('finds nothing where nothing is', () => {
    expect(findPlanted([{ where: 'here', text: '{"email":"ada@other.example"}' }], { email: value })).toEqual([]);
  });
});
