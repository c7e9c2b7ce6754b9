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

/** jest begins what suites share once, whatever the number of projects that ask for it. */
const sharedStack = {
  globalSetup: '<rootDir>/test/api/support/shared-stack.ts',
  globalTeardown: '<rootDir>/test/api/support/shared-stack-end.ts',
}
const sharedPostgres = {
  globalSetup: '<rootDir>/test/support/shared-postgres.mjs',
  globalTeardown: '<rootDir>/test/support/shared-postgres-end.ts',
}

export default {
  reporters: ['default', '<rootDir>/test/support/verdict.ts'],
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Ends a test that hangs; a machine that is busy with other suites is not one.
  testTimeout: 300_000,
  projects: [
    suite('domain'),
    suite('architecture'),
    suite('simulator'),
    suite('providers'),
    suite('webhooks'),
    suite('messengers', sharedPostgres),
    suite('http', sharedPostgres),
    suite('local', sharedPostgres),
    suite('docs'),
    suite('sdk'),
    suite('workflows'),
    suite('replay'),
    suite('chaos', { ...sharedPostgres, testPathIgnorePatterns: ['storm.test.ts'] }),
    { ...suite('storm'), testMatch: ['<rootDir>/test/chaos/storm.test.ts'] },
    suite('browser', sharedStack),
    suite('api', sharedStack),
    // Of what must be over within seconds, whatever hangs: nothing else takes its time.
    suite('timed', sharedPostgres),
    // A few faults against a stack of its own, with the machine to itself.
    suite('drill'),
    // The whole engine against a bank whose answers are odd.
    suite('odd-bank'),
  ],
}
