export * from './wallet-pass.js';
