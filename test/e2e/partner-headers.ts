/** Headers of a caller whom the partner knows. */
export async function partnerHeaders(sandboxUrl: string): Promise<Record<string, string>> {
  const form = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox', scope: 'admin' };
  const login = await fetch(`${sandboxUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await login.json()) as { access_token: string };
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}
