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

/** They start a stack of their own and mostly wait, for workflow time or for programs: `npm test` runs them beside the others. */
const ownStackFiles = [
  'test/api/charges/provider-fallback.test.ts',
  'test/api/recurrences/recurrence.test.ts',
  'test/api/traces.test.ts',
  'test/api/transfers/batch-under-kills.test.ts',
  'test/api/transfers/callouts.test.ts',
  'test/api/transfers/scheduled-transfer.test.ts',
  'test/api/webhooks/delivery.test.ts',
  'test/docs/commands.test.ts',
  'test/local/restored-database.test.ts',
  'test/local/start.test.ts',
]
/** Whole drills, which test the drill, a tool of development, and the largest batch: `npm run test:nightly`. */
const nightlyFiles = [
  'test/api/transfers/large-batch-under-kills.test.ts',
  'test/drill/drill.test.ts',
  'test/drill/ended-drill.test.ts',
]
const stormFile = 'test/chaos/storm.test.ts'

const files = (name, paths) => suite(name, { testMatch: paths.map(path => `<rootDir>/${path}`) })
const without = paths => ({ testPathIgnorePatterns: paths.map(path => `<rootDir>/${path}`) })

export default {
  reporters: ['default', '<rootDir>/test/support/verdict.ts'],
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  // Ends a test that hangs; a machine that is busy with other suites is not one.
  testTimeout: 900_000,
  projects: [
    suite('domain'),
    suite('architecture'),
    suite('simulator'),
    suite('providers'),
    suite('webhooks'),
    suite('messengers', sharedPostgres),
    suite('http', sharedPostgres),
    suite('local', { ...sharedPostgres, ...without(ownStackFiles) }),
    suite('docs', without(ownStackFiles)),
    suite('sdk'),
    suite('workflows', sharedPostgres),
    suite('replay'),
    suite('chaos', { ...sharedPostgres, ...without([stormFile]) }),
    files('storm', [stormFile]),
    files('own-stack', ownStackFiles),
    suite('browser', sharedStack),
    // Pages in a browser, served by an API in the test's process.
    suite('pages', sharedPostgres),
    suite('api', { ...sharedStack, ...without([...ownStackFiles, ...nightlyFiles]) }),
    // Of what must be over within seconds, whatever hangs: nothing else takes its time.
    suite('timed', sharedPostgres),
    suite('drill', without(nightlyFiles)),
    files('nightly', nightlyFiles),
    // The whole engine against a bank whose answers are odd.
    suite('odd-bank'),
  ],
}
