import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startPause } from '../../../src/admin/pauses.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Attempt } from '../../../src/db/entities/attempt.ts'
import type {
  FindPayoutOutcome,
  PayoutHandle,
  PreparePayoutOutcome,
  SendPayoutOutcome,
} from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Transfers through a provider that carries out prepared ones only: nothing is sent twice, whatever breaks off. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let merchant: { accountUuid: string; connectionUuid: string }
let order: TransferInput
/** What reached the provider, in its order: `prepare`, or the `ref` by which money was sent. */
let calls: string[]
beforeAll(async () => {
  fixture = await openActivityFixture()
  fixture.dependencies.timeScale = 100 // Between preparations without an answer.
})
beforeEach(async () => {
  merchant = await fixture.createMerchant(1_000)
  order = fixture.transferInput(merchant)
  calls = []
  scriptBank()
})
afterAll(() => fixture?.close())

const IN_PROCESS: SendPayoutOutcome = {
  kind: 'accepted',
  payout: { status: 'in_process', cents: 500, endToEnd: '', at: null },
}
const NO_ANSWER = { kind: 'no_answer', code: 'timeout', message: 'no answer' } as const
const RECEIVER = {
  name: 'Ana de Souza',
  document: '52998224725',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
} as const
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

type Script = {
  preparations?: (PreparePayoutOutcome | 'killed')[]
  outcome?: SendPayoutOutcome | 'killed'
  found?: FindPayoutOutcome
  expiresAt?: string
}

/** Scripts the bank: each preparation has the next number, unless the script says otherwise. */
function scriptBank({
  preparations = [],
  outcome = IN_PROCESS,
  found = NO_ANSWER,
  expiresAt = inMinutes(15),
}: Script = {}) {
  let preparationCount = 0
  fixture.scriptProvider({
    async prepareTransfer() {
      calls.push('prepare')
      preparationCount += 1
      const scripted = preparations[preparationCount - 1]
      if (scripted === 'killed') throw new Error('killed')
      const handle = { ref: `draft-${preparationCount}`, receiver: RECEIVER, expiresAt }
      return scripted ?? { kind: 'prepared', handle }
    },
    async sendTransfer(_order, handle) {
      calls.push(handle!.ref)
      if (outcome === 'killed') throw new Error('killed')
      return outcome
    },
    async findTransfer({ handle }) {
      calls.push(`find ${handle?.ref}`)
      return found
    },
  })
}
const key = () => ({ uuid: order.uuid, connectionUuid: merchant.connectionUuid })
const send = (more: { isResend?: boolean; order?: TransferInput; connectionUuid?: string } = {}) =>
  fixture.providers.sendTransfer({ ...key(), isResend: false, order, ...more })
const poll = () => fixture.providers.pollTransfer({ ...key(), pollCount: 1 })
const readAttempt = async () => {
  const [row] = await fixture.sql<Record<string, unknown>>(
    'select state, code, preparations, sendings, sealed_handle from attempt where subject_uuid = ?',
    [order.uuid],
  )
  return row!
}
const openStoredHandle = async () =>
  fixture.seal.open<PayoutHandle>((await readAttempt()).sealed_handle as string)

describe('a transfer that its provider prepares', () => {
  test('stays as it has ended where it never had a handle: a notification reopens nothing to poll for', async () => {
    const message = 'found by a handle only'
    const found = { kind: 'no_answer', code: 'no_handle', message, isLasting: true } as const
    scriptBank({ preparations: [NO_ANSWER, NO_ANSWER, NO_ANSWER], found })
    const ended = await send()
    expect(ended).toMatchObject({ kind: 'unreachable', code: 'timeout' })
    expect(await poll()).toEqual(ended)
    expect(await readAttempt()).toMatchObject({ state: 'unreachable', code: 'timeout' })
  })

  test('is sent by the handle, which is committed, sealed, before the money moves', async () => {
    let stored: unknown
    fixture.scriptProvider({
      async sendTransfer() {
        stored = await readAttempt()
        return IN_PROCESS
      },
    })
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(calls).toEqual(['prepare'])
    expect(stored).toMatchObject({ state: 'calling', preparations: 1, sendings: 1 })
    expect(JSON.stringify(stored)).not.toMatch(/draft-1|Ana|52998224725/)
    expect(await openStoredHandle()).toMatchObject({ ref: 'draft-1', receiver: { name: 'Ana de Souza' } })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ provisioned: 500 })
  })

  test('holds its money while it is prepared, and is polled by its handle afterwards', async () => {
    let held: unknown
    const prepareTransfer = async (): Promise<PreparePayoutOutcome> => {
      held = await fixture.readBalances(merchant.accountUuid)
      return { kind: 'prepared', handle: { ref: 'draft-1' } }
    }
    fixture.scriptProvider({ prepareTransfer })
    await send()
    expect(held).toMatchObject({ available: 500, provisioned: 500 })
    await poll()
    expect(calls).toEqual(['draft-1', 'find draft-1'])
  })

  test('may go to the next provider where the preparation is refused or has no answer three times', async () => {
    scriptBank({ preparations: [NO_ANSWER, NO_ANSWER, NO_ANSWER] })
    expect(await send()).toMatchObject({ kind: 'unreachable', code: 'timeout' })
    expect(calls).toEqual(['prepare', 'prepare', 'prepare'])
    expect(await readAttempt()).toMatchObject({ state: 'unreachable', sendings: 0 })

    const refused = {
      kind: 'rejected',
      finality: 'final',
      code: 'pix_key_not_found',
      message: 'no such key',
    } as const
    scriptBank({ preparations: [refused] })
    order = fixture.transferInput(merchant)
    expect(await send()).toMatchObject({ kind: 'rejected', code: 'pix_key_not_found', finality: 'final' })
  })

  test('is prepared after answers that are missing once or twice', async () => {
    scriptBank({ preparations: [NO_ANSWER, NO_ANSWER] })
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(calls).toEqual(['prepare', 'prepare', 'prepare', 'draft-3'])
  })

  test('whose provider refuses is not prepared again: the attempt keeps its outcome', async () => {
    const outcome = {
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'provider_limit',
      message: 'limit',
    } as const
    scriptBank({ outcome })
    expect(await send()).toMatchObject({ kind: 'rejected', code: 'provider_limit' })
    expect(await send()).toMatchObject({ kind: 'rejected', code: 'provider_limit' })
    expect(calls).toEqual(['prepare', 'draft-1'])
  })

  test('is refused where its handle has expired when it comes back, and is not prepared for ever', async () => {
    scriptBank({ expiresAt: inMinutes(-180) })
    expect(await send()).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'preparation_expired',
    })
    expect(calls).toEqual(['prepare'])
    expect(await readAttempt()).toMatchObject({ state: 'rejected', preparations: 1, sendings: 0 })
  })

  test('is blocked by a pause that an operator sets while it is prepared', async () => {
    const pause = async (): Promise<PreparePayoutOutcome> => {
      const target = { connectionUuid: merchant.connectionUuid }
      await startPause(fixture.orm.em.fork(), { target, reach: 'money_out', actor: 'ana', reason: 'test' })
      return { kind: 'prepared', handle: { ref: 'draft-1' } }
    }
    fixture.scriptProvider({ prepareTransfer: pause })
    expect(await send()).toMatchObject({ kind: 'unreachable', code: 'paused' })
    expect(calls).toEqual([])
    expect(await readAttempt()).toMatchObject({ state: 'unreachable', sendings: 0, sealed_handle: null })
  })
})

describe('a worker that ends', () => {
  test('during the preparation: another one prepares anew, and what was prepared before is never sent', async () => {
    scriptBank({ preparations: ['killed'] })
    await expect(send()).rejects.toThrow('killed')
    expect(await readAttempt()).toMatchObject({ state: 'preparing', sendings: 0, sealed_handle: null })
    expect(await poll()).toEqual({ kind: 'not_started' })
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(calls).toEqual(['prepare', 'prepare', 'draft-2'])
    expect(await readAttempt()).toMatchObject({ state: 'accepted', preparations: 2, sendings: 1 })
  })

  test('after the handle is committed: it is polled by the handle and sent again by the same one', async () => {
    scriptBank({ outcome: 'killed', found: { kind: 'not_found' } })
    await expect(send()).rejects.toThrow('killed')
    expect(await readAttempt()).toMatchObject({ state: 'calling', sendings: 1 })
    expect(await send()).toEqual({ kind: 'unknown', code: 'interrupted' })
    expect(await poll()).toMatchObject({ kind: 'not_found' })
    scriptBank()
    expect(await send({ isResend: true })).toEqual({ kind: 'in_process' })
    expect(calls).toEqual(['prepare', 'draft-1', 'find draft-1', 'draft-1'])
  })

  test('after the handle is committed, and it expires: the payout is refused there, never prepared anew', async () => {
    scriptBank({ outcome: 'killed', found: { kind: 'not_found' }, expiresAt: inMinutes(1) })
    await expect(send()).rejects.toThrow('killed')
    await poll()
    const expired = fixture.seal.seal({ ref: 'draft-1', expiresAt: inMinutes(-1) })
    await fixture.sql('update attempt set sealed_handle = ? where subject_uuid = ?', [expired, order.uuid])
    expect(await send({ isResend: true })).toEqual({
      kind: 'rejected',
      code: 'preparation_expired',
      finality: 'other_may_help',
      deliveries: [],
      returns: [],
    })
    expect(await send()).toMatchObject({ kind: 'rejected', code: 'preparation_expired' })
    expect(calls).toEqual(['prepare', 'draft-1', 'find draft-1'])
  })

  test('before the handle is committed, and goes on after another worker has sent: it sends nothing', async () => {
    let suspended!: () => void
    const preparations: Promise<PreparePayoutOutcome>[] = [
      new Promise(resolve => {
        suspended = () => resolve({ kind: 'prepared', handle: { ref: 'draft-of-the-first' } })
      }),
    ]
    fixture.scriptProvider({
      async prepareTransfer() {
        calls.push('prepare')
        return preparations.shift() ?? { kind: 'prepared', handle: { ref: 'draft-of-the-second' } }
      },
    })
    const first = send()
    while (calls.length === 0) await new Promise(resolve => setTimeout(resolve, 10))
    expect(await send()).toEqual({ kind: 'in_process' })
    suspended()
    expect(await first).toEqual({ kind: 'in_process' })
    expect(calls).toEqual(['prepare', 'prepare', 'draft-of-the-second'])
    expect(await openStoredHandle()).toEqual({ ref: 'draft-of-the-second' })
  })
})

describe('an order without an idempotency key', () => {
  test('that is prepared after its deadline ends, and is not sent', async () => {
    order = fixture.transferInput(merchant, { acceptBefore: inMinutes(1) })
    fixture.scriptProvider({
      async prepareTransfer() {
        throw new Error('killed')
      },
    })
    await expect(send()).rejects.toThrow('killed')
    await fixture.sql(`update transfer set accept_before = now() - interval '1 second' where uuid = ?`, [
      order.uuid,
    ])
    scriptBank()
    expect(await send()).toMatchObject({ kind: 'rejected', code: 'not_started', finality: 'final' })
    expect(calls).toEqual([])
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
  })

  test('whose preparation began in time is sent, however long it took', async () => {
    order = fixture.transferInput(merchant, { acceptBefore: inMinutes(1) })
    fixture.scriptProvider({
      async prepareTransfer() {
        // As if the preparation had outlasted the deadline: the row was visible before it.
        await fixture.sql(`update transfer set accept_before = now() - interval '1 second' where uuid = ?`, [
          order.uuid,
        ])
        return { kind: 'prepared', handle: { ref: 'draft-1' } }
      },
    })
    expect(await send()).toEqual({ kind: 'in_process' })
    expect(calls).toEqual(['draft-1'])
  })
})

describe('PostgreSQL', () => {
  test('refuses another preparation, or another handle, of what may have been sent', async () => {
    scriptBank({ outcome: 'killed' })
    await expect(send()).rejects.toThrow('killed')
    const change = (columns: string) =>
      fixture.sql(`update attempt set ${columns} where subject_uuid = ?`, [order.uuid])
    await expect(change('prepared_at = now()')).rejects.toThrow('attempt_handle_fixed')
    await expect(change(`state = 'preparing'`)).rejects.toThrow('attempt_prepared_unsent')
    await change(`state = 'unreachable'`)
    await expect(change(`state = 'preparing'`)).rejects.toThrow('attempt_prepared_unsent')
  })

  test('stores by what the provider finds a transfer that it has accepted under an id of its own', async () => {
    const payout = {
      status: 'in_process',
      cents: 500,
      endToEnd: '',
      at: null,
      handle: { ref: 'codigo-1' },
    } as const
    scriptBank({ outcome: { kind: 'accepted', payout } })
    fixture.scriptProvider({ prepareTransfer: undefined as never })
    fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
    await send()
    expect(await openStoredHandle()).toEqual({ ref: 'codigo-1' })
    await poll()
    expect(calls).toEqual(['find codigo-1'])
    const attempt = await runInTransaction(fixture.orm, em =>
      em.findOneOrFail(Attempt, { subjectUuid: order.uuid }),
    )
    expect(attempt.preparedAt).toBeNull()
  })
})
