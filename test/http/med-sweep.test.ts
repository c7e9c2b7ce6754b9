import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Dependencies } from '../../src/activities/dependencies.ts'
import { sweepMeds } from '../../src/activities/med-reconciliation.ts'
import type { Engine } from '../../src/engine/start.ts'
import { openWorld, type World } from './support/world.ts'

/** Providers that tell of no dispute are asked in turn, at a pace that does not grow with their number at once. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

test('every account has its turn before any has a second one', async () => {
  const accountUuid = await world.account()
  for (let count = 0; count < 30; count += 1) await world.connection(accountUuid)
  const asked: string[] = []
  const sweep = sweepMeds(
    {
      ...{ orm: world.orm, log: world.dependencies.log },
      providers: {
        providerFor({ uuid }: { uuid: string }) {
          asked.push(uuid)
          return { listMeds: async () => ({ kind: 'found', meds: [] }) }
        },
      },
    } as unknown as Dependencies,
    {} as Engine,
  )
  expect(await sweep()).toEqual({ asked: 25, told: 0 })
  expect(await sweep()).toEqual({ asked: 25, told: 0 })
  expect(new Set(asked).size).toBe(30)
  expect(new Set(asked.slice(0, 25)).size).toBe(25)
})
