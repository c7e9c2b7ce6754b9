import { existsSync, readFileSync } from 'node:fs'
import type { DemoResult } from '../../../src/local/demo.ts'
import { runLocal } from '../../../src/local/local.ts'
import { waitUntil } from '../../../src/local/waiting.ts'
import { journal } from './journal.ts'

/** `npm start` with small programs in the place of the product's: the database and Temporal are real. */
const one = { uuid: '00000000-0000-4000-8000-000000000001', token: 'trl_test_one' }
const demo: DemoResult = {
  account_uuid: one.uuid,
  token: 'trl_test',
  providers: { PROVIDER_A: one, PROVIDER_B: one, PROVIDER_C: one, PROVIDER_D: one },
  recipient_accounts: [],
  dashboard: { email: 'merchant@trilho.test', password: 'one' },
  operator: { email: 'operator@trilho.test', password: 'two' },
}

process.exit(
  await runLocal({
    scripts: {
      simulator: 'test/local/programs/simulator.ts',
      worker: 'test/local/programs/worker.ts',
      api: 'test/local/programs/api.ts',
    },
    searchAttributes: [{ name: 'TrilhoAccount', type: 'KEYWORD' }],
    setUpDemo: async () => demo,
    workerPolls: async () =>
      void (await waitUntil(
        () => existsSync(journal) && readFileSync(journal, 'utf8').includes('begins worker'),
        {
          what: 'No worker begins',
          limitMs: 60_000,
        },
      )),
  }),
)
