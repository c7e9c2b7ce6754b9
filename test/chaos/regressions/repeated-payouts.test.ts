import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startPause } from '../../../src/admin/pauses.ts'
import { ProviderNotification } from '../../../src/db/entities/provider-notification.ts'
import { runQuery } from '../../../src/db/pipeline/query.ts'
import { storeProviderNotifications } from '../../../src/db/repositories/provider-notifications.ts'
import type {
  FindPayoutOutcome,
  PayoutHandle,
  SendPayoutOutcome,
  SentTransfer,
} from '../../../src/domain/providers/provider.ts'
import { routeNotification } from '../../../src/provider-notifications/route-notification.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Transfers through a provider that looks them up by its own id, or by the order sent again. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let merchant: { accountUuid: string; connectionUuid: string }
let order: TransferInput
/** What the provider was asked for, in its order. */
let lookUps: SentTransfer[]
beforeAll(async () => {
  fixture = await openActivityFixture()
})
beforeEach(async () => {
  merchant = await fixture.createMerchant(1_000)
  await fixture.sql(`update connection set dialect = 'inter' where uuid = ?`, [merchant.connectionUuid])
  order = fixture.transferInput(merchant)
  lookUps = []
  scriptBank()
})
afterAll(() => fixture?.close())

const UNKNOWN = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const
const NO_ANSWER = { kind: 'no_answer', code: 'timeout', message: 'no answer' } as const
const handle = { ref: 'c42f0787-02cb-4b31-827e-459ec9d7ece1' }
const IN_PROCESS = { status: 'in_process', cents: 500, endToEnd: '', at: null, handle } as const
const AWAITING = {
  kind: 'awaiting_approval',
  code: 'awaiting_approval',
  message: 'approve it',
  handle,
} as const

function scriptBank(sent: SendPayoutOutcome = UNKNOWN, ...found: FindPayoutOutcome[]) {
  fixture.scriptProvider({
    sendTransfer: async () => sent,
    async findTransfer(transfer) {
      lookUps.push(transfer)
      return found.shift() ?? NO_ANSWER
    },
  })
}
const key = () => ({ uuid: order.uuid, connectionUuid: merchant.connectionUuid })
const send = () => fixture.providers.sendTransfer({ ...key(), isResend: false, order })
const poll = () => fixture.providers.pollTransfer({ ...key(), pollCount: 1 })
const readAttempt = async () => {
  const [row] = await fixture.sql<Record<string, unknown>>(
    'select state, code, sealed_handle, provider_ref from attempt where subject_uuid = ?',
    [order.uuid],
  )
  return row!
}
const openStoredHandle = async () =>
  fixture.seal.open<PayoutHandle>((await readAttempt()).sealed_handle as string)

describe('a transfer of an unknown outcome', () => {
  test('is looked up by the same order, and by the id that the provider has named from then on', async () => {
    scriptBank(UNKNOWN, { kind: 'found', payout: IN_PROCESS })
    expect(await send()).toMatchObject({ kind: 'unknown' })
    expect(await poll()).toEqual({ kind: 'in_process' })
    await poll()
    expect(lookUps).toMatchObject([
      { order: { cents: 500, destination: keyDestination('fornecedor@exemplo.com.br') } },
      { handle },
    ])
    expect(lookUps[0]!.order!.id).toBe(lookUps[0]!.id)
    expect(lookUps[0]).not.toHaveProperty('handle')
    expect(lookUps[1]).not.toHaveProperty('order')
    expect(await openStoredHandle()).toEqual(handle)
    expect(await readAttempt()).toMatchObject({ state: 'accepted', provider_ref: handle.ref })
  })

  test.each([
    [
      'ten minutes later',
      `update attempt set unknown_since = now() - interval '11 minutes' where subject_uuid = ?`,
    ],
    [
      'with credentials of which nothing proves the account',
      `update connection c set credentials_epoch = c.credentials_epoch + 1 from attempt a
       where a.connection_uuid = c.uuid and a.subject_uuid = ?`,
    ],
  ])('is not sent again %s', async (_, change) => {
    await send()
    await fixture.sql(change, [order.uuid])
    await poll()
    expect(lookUps).toHaveLength(1)
    expect(lookUps[0]).not.toHaveProperty('order')
  })

  describe('that was ordered without an idempotency key', () => {
    const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    const endBeforeCall = async () => {
      order = fixture.transferInput(merchant, { acceptBefore: inMinutes(1) })
      fixture.scriptProvider({
        async sendTransfer() {
          throw new Error('killed')
        },
      })
      await expect(send()).rejects.toThrow('killed')
    }

    test('is sent again until its acceptance deadline, which no longer binds it then', async () => {
      await endBeforeCall()
      await poll()
      expect(lookUps[0]).toHaveProperty('order')
      expect(await fixture.sql('select accept_before from transfer where uuid = ?', [order.uuid])).toEqual([
        { accept_before: null },
      ])
    })

    test('is not sent again after it: its client may have read that it does not exist', async () => {
      await endBeforeCall()
      await fixture.sql(`update transfer set accept_before = now() - interval '1 second' where uuid = ?`, [
        order.uuid,
      ])
      await poll()
      expect(lookUps).toHaveLength(1)
      expect(lookUps[0]).not.toHaveProperty('order')
      await expect(
        fixture.sql('update attempt set sendings = sendings + 1 where subject_uuid = ?', [order.uuid]),
      ).rejects.toThrow('attempt_before_deadline')
    })
  })

  test('is not sent again while an operator pauses the connection', async () => {
    await send()
    const target = { connectionUuid: merchant.connectionUuid }
    await startPause(fixture.orm.em.fork(), { target, reach: 'money_out', actor: 'ana', reason: 'test' })
    await poll()
    expect(lookUps[0]).not.toHaveProperty('order')
  })
})

describe('a sending that is answered after its order was repeated', () => {
  const REFUSED = { kind: 'rejected', code: 'insufficient_balance', message: 'refused' } as const
  const UNREACHABLE = { kind: 'unreachable', code: 'ECONNREFUSED', message: 'not connected' } as const

  test.each<[what: string, answer: SendPayoutOutcome]>([
    ['refused', { ...REFUSED, finality: 'other_may_help' }],
    ['refused for good', { ...REFUSED, finality: 'final' }],
    ['not connected', UNREACHABLE],
    ['without a turn', { ...UNREACHABLE, code: 'paced', retryAfterMs: 1_000 }],
  ])('%s: the bank may have carried the repeat out', async (_, answer) => {
    const { promise, resolve } = Promise.withResolvers<SendPayoutOutcome>()
    const called = Promise.withResolvers<void>()
    scriptBank()
    fixture.scriptProvider({
      sendTransfer() {
        called.resolve()
        return promise
      },
    })
    const sending = send()
    await called.promise
    await poll() // As Temporal does once the worker of the sending has stood still.
    expect(lookUps).toMatchObject([{ order: { cents: 500 } }])
    resolve(answer)
    expect(await sending).toMatchObject({ kind: 'unknown' })
    expect(await readAttempt()).toMatchObject({ state: 'unknown' })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ provisioned: 500 })
  })
})

describe('a transfer that waits for approval', () => {
  test('is looked up by the id that its acceptance named', async () => {
    scriptBank(AWAITING, {
      kind: 'found',
      payout: { ...IN_PROCESS, status: 'rejected', code: 'provider_rejected' },
    })
    expect(await send()).toMatchObject({ kind: 'unknown', code: 'awaiting_approval' })
    expect(await readAttempt()).toMatchObject({ state: 'unknown', provider_ref: handle.ref })
    expect(await poll()).toMatchObject({ kind: 'rejected' })
    expect(lookUps).toMatchObject([{ handle }])
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
  })

  test('is looked up by the id that a look-up named', async () => {
    scriptBank(UNKNOWN, AWAITING)
    await send()
    expect(await poll()).toMatchObject({ kind: 'unknown', code: 'awaiting_approval' })
    await poll()
    expect(lookUps).toMatchObject([{ order: { cents: 500 } }, { handle }])
    expect(await readAttempt()).toMatchObject({ state: 'unknown', provider_ref: handle.ref })
  })
})

describe("a notification with the provider's own id", () => {
  const signalled: string[] = []
  const temporal = {
    client: async () => ({
      workflow: {
        getHandle: (id: string) => ({ signal: async () => void signalled.push(id) }),
        signalWithStart: async (_: string, { workflowId }: { workflowId: string }) =>
          void signalled.push(workflowId),
      },
    }),
    taskQueue: 'q',
    timeScale: 1,
  } as unknown as TemporalContext

  async function notify(ageMs: number, endToEnd: string | null = null) {
    const em = fixture.orm.em.fork()
    const uuid = randomUUID()
    const item = {
      uuid,
      kind: 'transfer',
      reference: handle.ref,
      endToEnd,
      body: '{}',
      requestId: 'r',
    } as const
    const [notification] = await runQuery(em, storeProviderNotifications(em, merchant.connectionUuid, [item]))
    notification!.receivedAt = new Date(Date.now() - ageMs)
    await routeNotification(temporal, em, notification!)
    return (await fixture.orm.em.fork().findOneOrFail(ProviderNotification, uuid)).outcome
  }
  beforeEach(() => void signalled.splice(0))

  test('signals its transfer', async () => {
    scriptBank({ kind: 'accepted', payout: IN_PROCESS })
    await send()
    expect(await notify(0)).toBe('routed')
    expect(signalled).toEqual([`transfer/${order.uuid}`])
  })

  test.each([null, 'E00416968202601101201abcdefghijk'])(
    'waits while it may be early, and is of no transfer of ours after that (%s)',
    async endToEnd => {
      expect(await notify(0, endToEnd)).toBeNull()
      expect(await notify(11 * 60_000, endToEnd)).toBe('foreign')
      expect(signalled).toEqual([])
    },
  )
})
