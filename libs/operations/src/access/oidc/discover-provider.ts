import { z } from 'zod';

import type { ProviderDocuments } from './provider-documents.js';

/** The part of OpenID Connect Discovery 1.0, section 3, that is needed here. */
const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });

export interface DiscoveredProvider {
  /** As its tokens name it. */
  readonly issuer: string;
  readonly keysUrl: URL;
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}

/**
 * Learns from the provider where its keys are, and how it spells its own name: with a slash at its end or without.
 * @throws {ProviderAwayError} also where it says that it is somebody else
 */
export async function discoverProvider(documents: ProviderDocuments, issuer: string): Promise<DiscoveredProvider> {
  const response = await documents.fetch(`${issuer}/.well-known/openid-configuration`);
  try {
    const metadata = metadataSchema.parse(await response.json());
    if (withoutSlash(metadata.issuer) !== issuer) throw new TypeError('the provider names another issuer');
    return { issuer: metadata.issuer, keysUrl: new URL(metadata.jwks_uri) };
  } catch (error) {
    throw documents.away(error);
  }
}
