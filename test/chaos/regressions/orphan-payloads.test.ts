import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Attempt } from '../../../src/db/entities/attempt.ts'
import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  IncomingPix,
} from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Findings of a review about orphan payloads, each as a minimal test. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type Answers = { cancelled: CancelChargeOutcome; found: FindChargeOutcome }

/** A payload of R$ 10.00 that its provider may have created without an answer. */
async function orphan() {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
  const uuid = randomUUID()
  fixture.scriptProvider({
    issueCharge: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  const { orphans } = await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 1_000,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    expiresInSeconds: 60,
    requestId: 'r',
    timeScale: 1,
  })
  const attemptUuid = orphans[0]!
  return {
    attemptUuid,
    /** A PIX is notified, and its provider's lookup names this payload. */
    isPaid(endToEnd: string) {
      const payment = pix({ endToEnd, reference: uuid.replaceAll('-', '') })
      fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
      return fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
    },
    /** Stores the attempt as one that was never an orphan. */
    async setState(state: Attempt['state']) {
      const [row] = await fixture.sql<{ attempt: object }>(
        'with deleted as (delete from attempt a where uuid = ? returning to_jsonb(a) as attempt) select attempt from deleted',
        [attemptUuid],
      )
      await fixture.sql('insert into attempt select * from jsonb_populate_record(null::attempt, ?::jsonb)', [
        JSON.stringify({ ...row!.attempt, state }),
      ])
    },
    close({ cancelled, found }: Answers) {
      fixture.scriptProvider({ cancelCharge: async () => cancelled, findCharge: async () => found })
      return fixture.providers.closeOrphan({ attemptUuid, isFinalPoll: false })
    },
    async isClosed(): Promise<boolean> {
      const [row] = await fixture.sql<{ state: string }>('select state from attempt where uuid = ?', [
        attemptUuid,
      ])
      return row!.state === 'closed'
    },
    setAside: () =>
      fixture.sql<{ uuid: string }>(
        'select uuid, end_to_end, reason, disposition from movement where account_uuid = ?',
        [accountUuid],
      ),
  }
}

const at = new Date().toISOString()
const EMPTY_PARTY = toParty({})
const pix = (more: Partial<IncomingPix> = {}): IncomingPix => ({
  endToEnd: 'E1',
  txid: 'txid',
  reference: null,
  cents: 900,
  status: 'settled',
  at,
  payer: null,
  pixKey: 'key',
  ...more,
})
const chargeFound = (status: 'removed' | 'open' | 'expired', payments: IncomingPix[]): FindChargeOutcome => ({
  kind: 'found',
  status,
  payments,
  charge: { txid: 'txid', payload: 'payload', pixKey: 'key', receiver: EMPTY_PARTY, expiresAt: at },
})
const NO_ANSWER = { kind: 'no_answer', code: 'timeout', message: 'no answer' } as const

test.each<[string, Answers]>([
  ['cancels', { cancelled: { kind: 'cancelled' }, found: chargeFound('removed', [pix()]) }],
  [
    'has cancelled, and forgets',
    { cancelled: { kind: 'not_found' }, found: chargeFound('removed', [pix()]) },
  ],
])(
  'a payment of an orphan that its provider %s is set aside, also when its amount differs',
  async (_, answers) => {
    const payload = await orphan()
    const outcome = await payload.close(answers)
    const [aside] = await payload.setAside()
    expect(aside).toMatchObject({ end_to_end: 'E1', reason: 'orphan', disposition: 'held' })
    expect(outcome).toMatchObject({ kind: 'closed', returns: [{ uuid: aside!.uuid }] })
  },
)

test.each<[string, FindChargeOutcome]>([
  ['its payment is unknown', NO_ANSWER],
  ['a payment of it is on its way', chargeFound('removed', [pix({ status: 'in_process' })])],
  ['it can still be paid', chargeFound('open', [])],
])('an orphan that was cancelled is not closed while %s', async (_, answer) => {
  const payload = await orphan()
  expect(await payload.close({ cancelled: { kind: 'cancelled' }, found: answer })).toMatchObject({
    kind: 'no_answer',
  })
  expect(await payload.isClosed()).toBe(false)
})

test('an orphan that was cancelled and is no longer found is closed', async () => {
  const payload = await orphan()
  const outcome = await payload.close({ cancelled: { kind: 'cancelled' }, found: { kind: 'not_found' } })
  expect(outcome).toEqual({ kind: 'closed', deliveries: [], returns: [] })
  expect(await payload.isClosed()).toBe(true)
})

test.each(['orphan', 'closed'] as const)(
  'a PIX that names the payload of an attempt that is %s is signalled to the charge’s workflow',
  async state => {
    const payload = await orphan()
    await payload.setState(state)
    expect(await payload.isPaid('E2')).toEqual({ kind: 'expected' })
    expect(fixture.signalledWorkflowIds.at(-1)).toBe(`orphan/${payload.attemptUuid}`)
    expect(await payload.setAside()).toEqual([])
  },
)

test('a PIX that names a payload whose attempt is undecided is polled again', async () => {
  const payload = await orphan()
  await payload.setState('calling')
  expect(await payload.isPaid('E2')).toEqual({ kind: 'no_answer', code: 'charge_issuing' })
  expect(await payload.setAside()).toEqual([])
})

test.each(['rejected', 'unreachable'] as const)(
  'a PIX that names a charge whose issuing was %s there is a deposit',
  async state => {
    const payload = await orphan()
    await payload.setState(state)
    expect(await payload.isPaid('E2')).toMatchObject({ kind: 'accepted' })
    expect(await payload.setAside()).toMatchObject([
      { end_to_end: 'E2', reason: 'deposit', disposition: null },
    ])
  },
)
