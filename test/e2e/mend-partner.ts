import { partnerHeaders } from './partner-headers.js';

/** What the partner's people do in the end: the attribute that our transactions of a type carry is created. */
export async function createAttribute(sandboxUrl: string, transactionType: number, name: string): Promise<void> {
  const headers = await partnerHeaders(sandboxUrl);
  const url = `${sandboxUrl}/brands/101/programs/2001/transaction-types/${transactionType}/attributes`;
  const created = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name }) });
  if (!created.ok) throw new Error(`the attribute was not created: ${created.status} ${await created.text()}`);
}
