/** What the partner's people do in the end: the attribute that our transactions of a type carry is created. */
export async function createAttribute(sandboxUrl: string, transactionType: number, name: string): Promise<void> {
  const form = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox', scope: 'admin' };
  const login = await fetch(`${sandboxUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const url = `${sandboxUrl}/brands/101/programs/2001/transaction-types/${transactionType}/attributes`;
  const created = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name }) });
  if (!created.ok) throw new Error(`the attribute was not created: ${created.status} ${await created.text()}`);
}
