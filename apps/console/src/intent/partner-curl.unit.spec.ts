import { partnerCurl } from './partner-curl.js';

it('gives the partner’s request for a shell, without the token', () => {
  const request = { method: 'POST', path: '/101/x?unique_id=m', body: `{"note":"it's"}` };
  expect(partnerCurl(request)).toEqual({
    text: `curl -X POST -H "authorization: Bearer $WALLET_TOKEN" -H 'content-type: application/json' --data-raw '{"note":"it'\\''s"}' "$WALLET_BASE_URL"'/101/x?unique_id=m'`,
    isMasked: false,
  });
});

it('says where something masked is in it, and gives none of what was never sent', () => {
  expect(partnerCurl({ method: 'POST', path: '/x', body: { name: '•••' } })?.isMasked).toBe(true);
  expect(partnerCurl({ method: 'GET', path: '/x', body: null })?.text).not.toContain('--data-raw');
  expect(partnerCurl({ method: '', path: '', body: null })).toBeNull();
  expect(partnerCurl(null)).toBeNull();
});
