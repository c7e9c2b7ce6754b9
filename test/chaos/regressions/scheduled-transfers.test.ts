import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { sendThroughCandidates, type TerminalOutcome } from '../../../src/workflows/payouts/candidates.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Whether a scheduled transfer is tried again later is decided by what its activity may do then. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let merchant: { accountUuid: string; connectionUuid: string }
let order: TransferInput
let calls: number
beforeAll(async () => {
  fixture = await openActivityFixture()
})
beforeEach(async () => {
  merchant = await fixture.createMerchant(1_000)
  order = fixture.transferInput(merchant, { scheduledFor: new Date(Date.now() + 60_000).toISOString() })
  await fixture.records.storeTransfer(order)
  calls = 0
})
afterAll(() => fixture?.close())

const unreachable: SendPayoutOutcome = { kind: 'unreachable', code: 'dns_failed', message: 'no such host' }
const inProcess: SendPayoutOutcome = {
  kind: 'accepted',
  payout: { status: 'in_process', cents: 500, endToEnd: `E${'5'.repeat(31)}`, at: null },
}
const refusedByBank: SendPayoutOutcome = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'insufficient_balance',
  message: 'no funds at the bank',
}

function answers(outcome: SendPayoutOutcome): void {
  fixture.scriptProvider({
    async sendTransfer() {
      calls++
      return outcome
    },
  })
}
const send = (connectionUuid: string, { uuid }: { uuid: string } = order) =>
  fixture.providers.sendTransfer({ uuid, connectionUuid, isResend: false })
const tryCandidates = (candidates = order.candidates) =>
  sendThroughCandidates(candidates, async connectionUuid => (await send(connectionUuid)) as TerminalOutcome)

test('its only provider refused it for too little balance there: it is not tried again, and fails', async () => {
  answers(refusedByBank)
  for (let round = 0; round < 2; round++)
    expect(await tryCandidates()).toMatchObject({ last: { kind: 'rejected' }, retryLater: false })
  expect(calls).toBe(1)
  expect(await fixture.records.failTransfer(order.uuid)).toMatchObject({ state: 'failed' })
  expect(await fixture.sql('select failure from transfer where uuid = ?', [order.uuid])).toMatchObject([
    { failure: { code: 'insufficient_balance' } },
  ])
})

test('one provider refused it and another was unreachable: only that one is called again', async () => {
  const candidates = [merchant.connectionUuid, await fixture.createConnection(merchant)]
  const connection = await fixture.orm.em.fork().findOneOrFail(Connection, candidates[1]!)
  await postOpeningBalance(fixture.orm.em.fork(), connection, 1_000)
  answers(refusedByBank)
  await send(candidates[0]!)
  answers(unreachable)
  expect(await tryCandidates(candidates)).toMatchObject({ last: { kind: 'unreachable' }, retryLater: true })
  answers(inProcess)
  expect(await tryCandidates(candidates)).toMatchObject({ last: { kind: 'in_process' } })
  expect(calls).toBe(3)
})

test('its provider was unreachable, and the available balance is too low later: it is sent once it suffices', async () => {
  answers(unreachable)
  expect(await tryCandidates()).toMatchObject({ last: { kind: 'unreachable' }, retryLater: true })
  answers(inProcess)
  const other = fixture.transferInput(merchant, { valueCents: 1_000 })
  await fixture.records.storeTransfer(other)
  await send(merchant.connectionUuid, other)
  calls = 0
  for (let round = 0; round < 2; round++)
    expect(await tryCandidates()).toMatchObject({
      last: { kind: 'rejected', code: 'insufficient_balance' },
      retryLater: true,
    })
  expect(calls).toBe(0)
  const connection = await fixture.orm.em.fork().findOneOrFail(Connection, merchant.connectionUuid)
  await postOpeningBalance(fixture.orm.em.fork(), connection, 1_000)
  expect(await tryCandidates()).toMatchObject({ last: { kind: 'in_process' } })
  expect(calls).toBe(1)
})
