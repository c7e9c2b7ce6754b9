import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sweepDisputes } from '../../../src/activities/disputes/reconcile.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** Providers without dispute notifications are polled in turn, at a rate that does not grow with their number. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

test('every account is polled once before any is polled twice', async () => {
  const accountUuid = await fixture.insertAccount()
  for (let count = 0; count < 30; count += 1) await fixture.insertConnection(accountUuid)
  const asked: string[] = []
  const sweep = sweepDisputes({
    orm: fixture.orm,
    log: fixture.dependencies.log,
    providers: {
      providerFor({ uuid }: { uuid: string }) {
        asked.push(uuid)
        return { listDisputes: async () => ({ kind: 'found', disputes: [] }) }
      },
    },
  } as unknown as ActivityDependencies)
  expect(await sweep()).toEqual({ polled: 25, signalled: 0 })
  expect(await sweep()).toEqual({ polled: 25, signalled: 0 })
  expect(new Set(asked).size).toBe(30)
  expect(new Set(asked.slice(0, 25)).size).toBe(25)
})

test.each([
  ['refuses its list', { kind: 'no_answer', code: 'unauthorized' }],
  ['lists some disputes only', { kind: 'found', disputes: [], incompleteCode: 'timeout' }],
])(
  'a provider that %s ages in the gauge of its alert, and one that answers does not',
  async (_name, answer) => {
    const em = fixture.orm.em.fork()
    await em.execute(`update connection set status = 'BLOCKED'`)
    const accountUuid = await fixture.insertAccount()
    for (const provider of ['PROVIDER_A', 'PROVIDER_B'] as const)
      await fixture.insertConnection(accountUuid, { provider })
    await em.execute(`update connection set updated_at = now() - interval '4 hours'`)
    const sweep = sweepDisputes({
      orm: fixture.orm,
      log: fixture.dependencies.log,
      providers: {
        providerFor: ({ provider }: { provider: string }) => ({
          listDisputes: async () => (provider === 'PROVIDER_A' ? { kind: 'found', disputes: [] } : answer),
        }),
      },
    } as unknown as ActivityDependencies)
    await sweep()
    await sweep() // Those of the other test are polled as well.
    const samples = await readDatabaseGauges(em)
    const ages = samples
      .filter(
        ({ gauge, labels }) => gauge === 'trilho_reconciliation_age_seconds' && labels?.[1] === 'disputes',
      )
      .map(({ labels, value }) => `${labels?.[0]} ${Math.floor(value / 3_600)}`)
    expect(ages.sort()).toEqual(['PROVIDER_A 0', 'PROVIDER_B 4'])
  },
)
