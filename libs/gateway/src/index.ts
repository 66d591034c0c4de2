export { PARTNER } from './partner.js';
export type * from './partner.js';
