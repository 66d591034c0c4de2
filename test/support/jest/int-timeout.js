import { jest } from '@jest/globals';

// jest heeds `testTimeout` only for all projects at once.
jest.setTimeout(60_000);
