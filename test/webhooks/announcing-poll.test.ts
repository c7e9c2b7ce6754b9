import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { announcingPoll } from '../../src/activities/webhooks/announcing-poll.ts'

type Order = { chargeUuid: string }

type PollOptions = { deliveries?: string[] | undefined; takesMs?: number; limitMs?: number }

function createPoll({ deliveries, takesMs = 0, limitMs = 60_000 }: PollOptions) {
  const attempted: string[][] = []
  const poll = announcingPoll(
    async (order: Order) => {
      await sleep(takesMs)
      return { polled: order, ...(deliveries && { deliveries }) }
    },
    async deliveries => {
      attempted.push(deliveries)
      if (deliveries.includes('failing')) throw new Error('no database')
      return { open: [{ deliveryUuid: deliveries.at(-1)!, firstWaitMs: 7 }] }
    },
    { limitMs },
  )
  return { poll, attempted }
}

test('a poll that makes first attempts returns the deliveries that are still open', async () => {
  const { poll, attempted } = createPoll({ deliveries: ['one', 'two'] })
  expect(await poll({ chargeUuid: 'charge', makesFirstAttempts: true })).toEqual({
    polled: { chargeUuid: 'charge' },
    deliveries: ['one', 'two'],
    openDeliveries: [{ deliveryUuid: 'two', firstWaitMs: 7 }],
  })
  expect(attempted).toEqual([['one', 'two']])
})

test('a poll without the flag makes none, and does not say that it did', async () => {
  const { poll, attempted } = createPoll({ deliveries: ['one'], takesMs: 80, limitMs: 50 })
  expect(await poll({ chargeUuid: 'charge' })).not.toHaveProperty('openDeliveries')
  expect(attempted).toEqual([])
})

test('deliveries whose first attempts fail are open: the poll is committed and is not repeated', async () => {
  const { poll } = createPoll({ deliveries: ['one', 'failing'] })
  expect(await poll({ chargeUuid: 'charge', makesFirstAttempts: true })).toMatchObject({
    openDeliveries: [
      { deliveryUuid: 'one', firstWaitMs: 0 },
      { deliveryUuid: 'failing', firstWaitMs: 0 },
    ],
  })
})

test.each([[undefined], [[]]])('a poll with the deliveries %j attempts none', async deliveries => {
  const { poll, attempted } = createPoll({ deliveries: deliveries as string[] | undefined })
  await poll({ chargeUuid: 'charge', makesFirstAttempts: true })
  expect(attempted).toEqual([])
})

test('a slow poll fails without an attempt: the regular activity polls again', async () => {
  const { poll, attempted } = createPoll({ deliveries: ['one'], takesMs: 100, limitMs: 50 })
  await expect(poll({ chargeUuid: 'charge', makesFirstAttempts: true })).rejects.toThrow('longer than 50 ms')
  await sleep(80)
  expect(attempted).toEqual([])
})
