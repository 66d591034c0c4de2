export { publishedContracts } from './published-contracts.js';
export type { PublishedContracts } from './published-contracts.js';
