/** What a card's page was made for. */
export type WalletKind = 'generic' | 'apple' | 'google';

/** Path of the cards, without a leading slash. */
export const cardsPath = 'passes';

export interface DownloadLinks {
  readonly downloadUrl: string;
  readonly downloadUrlApple: string;
  readonly downloadUrlGoogle: string;
}

/** The three links of a pass (partner-api.md section 2), pages of the sandbox at `origin`. */
export function downloadLinks(origin: string, serialNumber: string): DownloadLinks {
  const downloadUrl = `${origin}/${cardsPath}/${encodeURIComponent(serialNumber)}`;
  return { downloadUrl, downloadUrlApple: `${downloadUrl}/apple`, downloadUrlGoogle: `${downloadUrl}/google` };
}
