export * from './intents-api.js';
