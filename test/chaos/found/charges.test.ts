import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { IncomingPix, IssueOutcome } from '../../../src/domain/provider.ts'
import { party } from '../../../src/providers/party.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { ChargeOrder } from '../../../src/workflows/messages.ts'
import { openBooks } from '../support/books.ts'

/** What storms found in issuing charges, each as small as it can be told. */

let books: Awaited<ReturnType<typeof openBooks>>
beforeAll(async () => {
  books = await openBooks()
})
afterAll(() => books?.close())

const issued = (): IssueOutcome => ({
  kind: 'accepted',
  charge: {
    ...{
      txid: randomUUID().replaceAll('-', ''),
      payload: 'payload',
      pixKey: 'key',
      receiver: party({ name: 'Loja' }),
    },
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  } as Extract<IssueOutcome, { kind: 'accepted' }>['charge'],
})
const killed = async () => {
  throw new Error('killed')
}

async function order(): Promise<ChargeOrder> {
  const merchant = await books.merchant(0)
  const candidates = [merchant.connectionUuid, await books.connection(merchant)]
  const details = books.seal.seal({ splits: [], fingerprint: 'f' })
  return {
    ...{ uuid: randomUUID(), accountUuid: merchant.accountUuid, candidates, valueCents: 500 },
    ...{ details, expiresInSeconds: 60, requestId: 'r', timeScale: 1 },
  }
}
const attempts = (charge: string) =>
  books.sql<{ uuid: string; connection: string; position: number; state: string; code: string | null }>(
    'select uuid, connection_uuid as connection, position, state, code from attempt where subject_uuid = ? order by position',
    [charge],
  )
/** The same charge as a run sees it that trusts its first candidate least. */
const turned = (charge: ChargeOrder) => ({ ...charge, candidates: charge.candidates.toReversed() })

test('a call that broke off is an orphan once another provider has issued: its payload may exist', async () => {
  const charge = await order()
  const [first, second] = charge.candidates as [string, string]
  books.provider({ issueCharge: killed })
  await expect(books.providers.issueCharge(charge)).rejects.toThrow('killed')

  books.provider({ issueCharge: async () => issued() })
  const { state, orphans } = await books.providers.issueCharge(turned(charge))
  expect(state).toBe('pending')
  const [left, taken] = await attempts(charge.uuid)
  expect(left).toMatchObject({ connection: first, position: 0, state: 'orphan' })
  expect(taken).toMatchObject({ connection: second, position: 1, state: 'accepted' })
  expect(orphans).toEqual([left!.uuid])
})

test('of two runs at the same time one issues, and what the slower one is given is an orphan', async () => {
  const charge = await order()
  const [first, second] = charge.candidates as [string, string]
  const answer = Promise.withResolvers<IssueOutcome>()
  const asked = Promise.withResolvers<void>()
  books.provider({
    issueCharge: () => {
      asked.resolve()
      return answer.promise
    },
  })
  const slow = books.providers.issueCharge(charge)
  await asked.promise
  books.provider({ issueCharge: async () => issued() })
  const fast = await books.providers.issueCharge(turned(charge))
  answer.resolve(issued())
  expect(await slow).toEqual(fast)
  expect(await attempts(charge.uuid)).toMatchObject([
    { connection: first, state: 'orphan' },
    { connection: second, state: 'accepted' },
  ])
})

test.each([
  ['refused', { kind: 'rejected', finality: 'other_may_help', code: 'provider_limit', message: 'no' }],
  ['not even sent', { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }],
] as const)('a call that broke off is an orphan though its repeat is %s', async (_, outcome) => {
  const charge = await order()
  books.provider({ issueCharge: killed })
  await expect(books.providers.issueCharge(charge)).rejects.toThrow('killed')
  books.provider({ issueCharge: async () => outcome })
  const { state, orphans } = await books.providers.issueCharge(charge)
  const [first, second] = await attempts(charge.uuid)
  expect([state, first?.state, second?.state]).toEqual(['failed', 'orphan', outcome.kind])
  expect(orphans).toEqual([first!.uuid])
})

test('a late refusal takes nothing back from the payload that was shown', async () => {
  const charge = await order()
  const answer = Promise.withResolvers<IssueOutcome>()
  const asked = Promise.withResolvers<void>()
  books.provider({
    issueCharge: () => {
      asked.resolve()
      return answer.promise
    },
  })
  const slow = books.providers.issueCharge(charge)
  await asked.promise
  books.provider({ issueCharge: async () => issued() })
  await books.providers.issueCharge(charge)
  answer.resolve({ kind: 'unknown', code: 'duplicate_id', message: 'taken' })
  expect(await slow).toMatchObject({ state: 'pending', orphans: [] })
  expect(await attempts(charge.uuid)).toMatchObject([{ state: 'accepted' }])
})

test('money that its provider calls by longer names than the rail’s is booked as any other', async () => {
  const charge = await order()
  const answer = issued() as Extract<IssueOutcome, { kind: 'accepted' }>
  const long = { txid: 't'.repeat(60), pixKey: `${'k'.repeat(90)}@exemplo.com.br` }
  Object.assign(answer.charge, long)
  books.provider({ issueCharge: async () => answer })
  await books.providers.issueCharge(charge)
  const paid = (endToEnd: string): IncomingPix => ({
    ...{ endToEnd, ...long, cents: 500, status: 'settled', at: new Date().toISOString() },
    ...{ reference: null, payer: null },
  })
  const payments = [paid(`E${'1'.repeat(60)}`)]
  const deposit = paid(`E${'2'.repeat(60)}`)
  books.provider({
    findCharge: async () => ({ kind: 'found', status: 'completed', charge: answer.charge, payments }),
    findPayment: async () => ({ kind: 'found', payment: deposit }),
  })
  expect(await books.providers.followCharge({ chargeUuid: charge.uuid, closing: false })).toMatchObject({
    kind: 'known',
    state: 'paid',
  })
  await books.providers.takeDeposit({
    ...{ connectionUuid: charge.candidates[0]!, endToEnd: deposit.endToEnd, requestId: 'r', timeScale: 1 },
  })
  const booked = 'select end_to_end, txid, pix_key from movement where account_uuid = ? order by end_to_end'
  expect(await books.sql(booked, [charge.accountUuid])).toEqual(
    [payments[0]!, deposit].map(({ endToEnd, txid, pixKey }) => ({
      ...{ end_to_end: endToEnd, txid, pix_key: pixKey },
    })),
  )
  expect(await books.balances(charge.accountUuid)).toMatchObject({ available: 1_000 })
})

test('a deposit shows the account that received it, which no charge has to tell', async () => {
  const { connectionUuid } = await books.merchant(0)
  const account = party({ name: 'Loja de Teste Ltda', document: '11222333000181' })
  await books.sql('update connection set virtual_account = ? where uuid = ?', [
    JSON.stringify({ type: 'NOMINAL', ...account }),
    connectionUuid,
  ])
  const endToEnd = `E${randomUUID()}`
  books.provider({
    findPayment: async () => ({
      kind: 'found',
      payment: {
        ...{
          endToEnd,
          txid: 'x',
          reference: null,
          cents: 500,
          status: 'settled',
          payer: null,
          pixKey: 'key',
        },
        at: new Date().toISOString(),
      } as IncomingPix,
    }),
  })
  await books.providers.takeDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
  const [row] = await books.sql('select receiver from movement where end_to_end = ?', [endToEnd])
  expect(row).toEqual({ receiver: account })
})

type Cancelling = Awaited<ReturnType<Provider['cancelCharge']>>
const forgotten: Cancelling = { kind: 'not_found' }
const silence: Cancelling = { kind: 'no_answer', code: 'timeout', message: 'no answer' }
const neverLeft: Cancelling = { kind: 'no_answer', code: 'no_token', message: 'no token', inVain: true }

/** How a charge stands after its provider was asked to cancel it so often, and whether that is still wanted. */
async function afterCancelling(answers: (Cancelling | 'dies')[]) {
  const charge = await order()
  books.provider({ issueCharge: async () => issued() })
  await books.providers.issueCharge(charge)
  for (const answer of answers) {
    books.provider({ cancelCharge: answer === 'dies' ? killed : async () => answer })
    const asked = books.providers.cancelCharge({ chargeUuid: charge.uuid })
    await (answer === 'dies' ? expect(asked).rejects.toThrow('killed') : asked)
  }
  const { state, cancelRequested } = await books.records.chargeNow(charge.uuid)
  return { state, cancelRequested }
}

test.each<[string, (Cancelling | 'dies')[]]>([
  ['"not found", however often', [forgotten, forgotten, forgotten]],
  ['"not found" after what never left, as by the credentials of another account', [neverLeft, forgotten]],
  ['"not found" after a refusal', [{ kind: 'refused', code: 'no', message: 'no' }, forgotten]],
])('a charge that nobody may have cancelled is not CANCELLED: %s', async (_name, answers) => {
  books.provider({ findCharge: async () => ({ kind: 'not_found' }) })
  expect(await afterCancelling(answers)).toEqual({ state: 'pending', cancelRequested: true })
})

test.each([
  ['it stays', true, false],
  ['nothing, because its provider does not say how it stands', false, true],
])(
  'a wish whose provider refuses to cancel is over once who has it hears that %s',
  async (_name, isKnown, isWanted) => {
    const { charge } = issued() as Extract<IssueOutcome, { kind: 'accepted' }>
    books.provider({
      findCharge: async () =>
        isKnown ? { kind: 'found', status: 'open', charge, payments: [] } : { kind: 'not_found' },
    })
    const refused: Cancelling = { kind: 'refused', code: 'no', message: 'no' }
    expect(await afterCancelling([refused])).toEqual({ state: 'pending', cancelRequested: isWanted })
  },
)

test.each<[string, (Cancelling | 'dies')[]]>([
  ['was not answered', [silence, forgotten]],
  ['broke off', ['dies', forgotten]],
  ['was not answered, whatever became of those beside it', [forgotten, silence, neverLeft, forgotten]],
])('a charge that its provider has forgotten is CANCELLED where a request %s', async (_name, answers) => {
  expect(await afterCancelling(answers)).toEqual({ state: 'cancelled', cancelRequested: true })
})

test('a charge that the release before was asked to cancel ends as it did there, because nobody knows what it was answered', async () => {
  const migration = '022_unanswered_cancellations'
  const charge = await order()
  books.provider({ issueCharge: async () => issued(), cancelCharge: async () => forgotten })
  await books.providers.issueCharge(charge)
  await books.sql('update charge set cancel_requested_at = now() where uuid = ?', [charge.uuid])
  await books.sql('alter table charge drop column cancel_unanswered')
  await books.sql('delete from mikro_orm_migrations where name = ?', [migration])
  await books.orm.migrator.up(migration)
  await books.providers.cancelCharge({ chargeUuid: charge.uuid })
  expect(await books.records.chargeNow(charge.uuid)).toMatchObject({ state: 'cancelled' })
})

/** What may keep a connection from beginning anything. */
const BARRED: [string, string, string][] = [
  ['is not ACTIVE any more', `update connection set status = 'BLOCKED' where uuid = ?`, 'provider_inactive'],
  [
    'was paused',
    `insert into pause (uuid, connection_uuid, reach, who, reason, created_at)
     values (gen_random_uuid(), ?, 'everything', 'an operator', 'a test', now())`,
    'paused',
  ],
]

test.each(BARRED)(
  'nothing is issued through a connection that %s since it was ordered: the next one is asked',
  async (_, change, code) => {
    const charge = await order()
    const [first, second] = charge.candidates as [string, string]
    await books.sql(change, [first])
    let calls = 0
    books.provider({
      issueCharge: async () => {
        calls += 1
        return issued()
      },
    })
    expect(await books.providers.issueCharge(charge)).toMatchObject({ state: 'pending', orphans: [] })
    expect(calls).toBe(1)
    const [left, taken] = await attempts(charge.uuid)
    expect(left).toMatchObject({ connection: first, state: 'unreachable', code })
    expect(taken).toMatchObject({ connection: second, state: 'accepted' })

    await books.sql(change, [second])
    const another = { ...charge, uuid: randomUUID() }
    expect(await books.providers.issueCharge(another)).toMatchObject({ state: 'failed', orphans: [] })
    expect(calls).toBe(1)
  },
)

test.each(BARRED)(
  'after a restore a payload beside the one that was shown is an orphan, though its connection %s',
  async (_, change) => {
    const charge = await order()
    const [first, second] = charge.candidates as [string, string]
    const { charge: known } = issued() as Extract<IssueOutcome, { kind: 'accepted' }>
    books.provider({
      findCharge: async () => ({ kind: 'found', status: 'open', charge: known, payments: [] }),
    })
    for (const connection of [first, second]) await books.sql(change, [connection])
    const restored = { orderedAt: new Date().toISOString(), connectionUuid: second }
    const sought = await books.providers.seekCharge({ ...charge, restored })
    const [left, shown] = await attempts(charge.uuid)
    expect(left).toMatchObject({ connection: first, state: 'orphan', code: 'restored' })
    expect(shown).toMatchObject({ connection: second, state: 'accepted', code: null })
    expect(sought).toMatchObject({ kind: 'known', issued: { state: 'pending', orphans: [left!.uuid] } })
  },
)
