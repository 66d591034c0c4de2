import { jest } from '@jest/globals';

// Jest heeds `testTimeout` only for all projects at once.
jest.setTimeout(globalThis.testTimeoutMs);
