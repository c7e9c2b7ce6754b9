/** Every suite is a project of its own, so that the fast ones run alone: `npm run test:domain`. */
const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json', 'node'],
}

const suite = (name, more = {}) => ({
  ...base,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...more,
})

export default {
  reporters: ['default', '<rootDir>/test/support/verdict.ts'],
  testTimeout: 60_000,
  projects: [
    suite('domain'),
    { ...suite('architecture'), testMatch: ['<rootDir>/test/architecture.test.ts'] },
    suite('simulator'),
    suite('providers'),
    suite('webhooks'),
    suite('messengers'),
    suite('http'),
    suite('local'),
    suite('docs'),
    suite('workflows'),
    suite('replay'),
    suite('chaos', { testPathIgnorePatterns: ['storm.test.ts'] }),
    { ...suite('storm'), testMatch: ['<rootDir>/test/chaos/storm.test.ts'] },
    // Both over one stack: jest begins it once, whatever the number of projects that ask for it.
    suite('browser', {
      globalSetup: '<rootDir>/test/api/support/shared-stack.ts',
      globalTeardown: '<rootDir>/test/api/support/shared-stack-end.ts',
    }),
    suite('api', {
      globalSetup: '<rootDir>/test/api/support/shared-stack.ts',
      globalTeardown: '<rootDir>/test/api/support/shared-stack-end.ts',
    }),
  ],
}
