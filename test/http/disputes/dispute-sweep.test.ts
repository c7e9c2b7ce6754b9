import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sweepDisputes } from '../../../src/activities/disputes/reconcile.ts'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
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
    ...{ orm: fixture.orm, log: fixture.dependencies.log },
    providers: {
      providerFor({ uuid }: { uuid: string }) {
        asked.push(uuid)
        return { listDisputes: async () => ({ kind: 'found', meds: [] }) }
      },
    },
  } as unknown as ActivityDependencies)
  expect(await sweep()).toEqual({ polled: 25, signalled: 0 })
  expect(await sweep()).toEqual({ polled: 25, signalled: 0 })
  expect(new Set(asked).size).toBe(30)
  expect(new Set(asked.slice(0, 25)).size).toBe(25)
})
