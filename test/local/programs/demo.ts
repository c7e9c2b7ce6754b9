import type { DemoResult } from '../../../packages/dev/demo/demo.ts'

/** Prints a demo account that does not exist, as the product's program prints its own. */
const demoProvider = { uuid: '00000000-0000-4000-8000-000000000001', token: 'trl_test_one' }
const demo: DemoResult = {
  account_uuid: demoProvider.uuid,
  token: 'trl_test',
  providers: {
    PROVIDER_A: demoProvider,
    PROVIDER_B: demoProvider,
    PROVIDER_C: demoProvider,
    PROVIDER_D: demoProvider,
  },
  recipient_accounts: [],
  dashboard: { email: 'merchant@trilho.test', password: 'one' },
  operator: { email: 'operator@trilho.test', password: 'two' },
}

if (process.env.DEMO_IS_BROKEN) throw new Error('The demo is broken')
process.stdout.write(`${JSON.stringify(demo, null, 2)}\n`)
