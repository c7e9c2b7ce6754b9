import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { confirmChargeExpiry } from '../../../src/admin/charge-expiry.ts'
import type { Attempt } from '../../../src/db/entities/attempt.ts'
import { Charge } from '../../../src/db/entities/charge.ts'
import { listChargesPastExpiry } from '../../../src/db/repositories/charge-expiries.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  FoundCharge,
  IncomingPix,
  IssueChargeOutcome,
  IssuedCharge,
  NoAnswerResult,
  NotFoundResult,
} from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

describe('concurrent issuing', () => {
  /** The next candidate issues while the first one is slow; the charge has one payload, whichever comes first. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const issued = (payload: string): IssueChargeOutcome => ({
    kind: 'accepted',
    charge: {
      payload,
      txid: payload,
      pixKey: 'k',
      receiver: toParty({}),
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    },
  })

  /** A charge with two candidates, of which the first answers when the test says so. */
  async function chargeWithSlowCandidate(second: IssueChargeOutcome) {
    const merchant = await fixture.createMerchant(0)
    const slow = Promise.withResolvers<IssueChargeOutcome>()
    let calls = 0
    fixture.scriptProvider({
      issueCharge: async () => {
        calls += 1
        return calls === 1 ? slow.promise : second
      },
    })
    const uuid = randomUUID()
    const issuing = fixture.providers.issueCharge({
      uuid,
      accountUuid: merchant.accountUuid,
      valueCents: 1_000,
      expiresInSeconds: 60,
      candidates: [merchant.connectionUuid, await fixture.createConnection(merchant)],
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
      requestId: 'r',
      timeScale: 1,
    })
    return {
      issuing,
      answerSlow: slow.resolve,
      attempts: () =>
        fixture.sql<{ uuid: string; state: string }>(
          'select uuid, state from attempt where subject_uuid = ? order by position',
          [uuid],
        ),
      /** Orders in a row without a useful answer of each connection that has some. */
      failedInARow: () =>
        fixture.sql<{ connection_uuid: string; failed_charges: number }>(
          `select connection_uuid, failed_charges from circuit_breaker where connection_uuid in
           (select connection_uuid from attempt where subject_uuid = ?)`,
          [uuid],
        ),
      slowConnectionUuid: merchant.connectionUuid,
      async stored() {
        const { state, payload } = await fixture.orm.em.fork().findOneOrFail(Charge, uuid)
        return { state, payload }
      },
    }
  }

  test('the next candidate issues while the slow one has not answered, whose attempt becomes an orphan', async () => {
    const charge = await chargeWithSlowCandidate(issued('second'))
    const { state, orphans } = await charge.issuing // The slow call is still running.
    const [slow, second] = await charge.attempts()
    expect(state).toBe('pending')
    expect(orphans).toEqual([slow!.uuid])
    expect([slow!.state, second!.state]).toEqual(['orphan', 'accepted'])

    charge.answerSlow(issued('first'))
    const failed = await pollUntil(charge.failedInARow, rows => rows.length > 0)
    expect(failed).toEqual([{ connection_uuid: charge.slowConnectionUuid, failed_charges: 1 }])
    expect(await charge.stored()).toEqual({ state: 'pending', payload: 'second' })
    expect((await charge.attempts()).map(one => one.state)).toEqual(['orphan', 'accepted'])
  })

  test('a slow candidate that issues after the next one has refused still provides the payload', async () => {
    const refusal = { code: 'provider_denied', message: 'no', finality: 'other_may_help' } as const
    const charge = await chargeWithSlowCandidate({ kind: 'rejected', ...refusal })
    await pollUntil(charge.attempts, ([, second]) => second?.state === 'rejected')
    charge.answerSlow(issued('first'))
    expect(await charge.issuing).toMatchObject({ state: 'pending', orphans: [] })
    expect(await charge.stored()).toEqual({ state: 'pending', payload: 'first' })
    expect((await charge.attempts()).map(one => one.state)).toEqual(['accepted', 'rejected'])
  })
})

describe('orphan payloads', () => {
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
        await fixture.sql(
          'insert into attempt select * from jsonb_populate_record(null::attempt, ?::jsonb)',
          [JSON.stringify({ ...row!.attempt, state })],
        )
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
  const chargeFound = (
    status: 'removed' | 'open' | 'expired',
    payments: IncomingPix[],
  ): FindChargeOutcome => ({
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
})

describe('charge expiry', () => {
  /** A charge that its provider calls completed and that was not paid with its amount is ended by an operator. */

  const DAY_MS = 86_400_000

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const endToEndId = () => `E${randomUUID().replaceAll('-', '').slice(1)}`

  /** A charge of R$ 10.00 that expired two days ago; `poll` polls its provider, which lists these payments. */
  async function openChargePastExpiry({ expiredMsAgo = 2 * DAY_MS } = {}) {
    const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
    const uuid = randomUUID()
    const charge: IssuedCharge = {
      txid: uuid.replaceAll('-', ''),
      payload: 'payload',
      pixKey: 'key',
      receiver: toParty({}),
      expiresAt: new Date(Date.now() - expiredMsAgo).toISOString(),
    }
    fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
    await fixture.providers.issueCharge({
      uuid,
      accountUuid,
      candidates: [connectionUuid],
      valueCents: 1_000,
      expiresInSeconds: 60,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
      requestId: 'r',
      timeScale: 1,
    })
    const scriptCharge = (payments: IncomingPix[], status: FoundCharge['status'] = 'completed') =>
      fixture.scriptProvider({ findCharge: async () => ({ kind: 'found', status, charge, payments }) })
    const followCharge = () => fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: true })
    return {
      uuid,
      scriptCharge,
      poll(...listed: Parameters<typeof scriptCharge>) {
        scriptCharge(...listed)
        return followCharge()
      },
      pollWithout(answer: NotFoundResult | NoAnswerResult) {
        fixture.scriptProvider({ findCharge: async () => answer })
        return followCharge()
      },
      pix: (cents: number, more: Partial<IncomingPix> = {}): IncomingPix => ({
        endToEnd: endToEndId(),
        txid: charge.txid,
        reference: charge.txid,
        cents,
        status: 'settled',
        at: new Date().toISOString(),
        payer: null,
        pixKey: 'key',
        ...more,
      }),
      confirm: (receivedCents: number) =>
        confirmChargeExpiry(fixture.dependencies, fixture.orm.em.fork(), {
          uuid,
          receivedCents,
          actor: 'ana',
          reason: 'seen in the panel',
        }),
      /** Makes the confirmation this much older. */
      async ageConfirmation(minutes: number) {
        const kept = 'alter table charge_expiry %s trigger charge_expiry_kept'
        await fixture.sql(kept.replace('%s', 'disable'))
        await fixture.sql(
          `update charge_expiry set confirmed_at = confirmed_at - make_interval(mins => ?) where charge_uuid = ?`,
          [minutes, uuid],
        )
        await fixture.sql(kept.replace('%s', 'enable'))
      },
      movements: () =>
        fixture.sql(
          'select value_cents::int as cents, reason, disposition from movement where charge_uuid = ? order by created_at, uuid',
          [uuid],
        ),
      actions: () =>
        fixture.sql('select actor, action, reason from operator_action where subject = ?', [
          `charge/${uuid}`,
        ]),
    }
  }

  const NOT_LISTED = { kind: 'no_answer', state: 'pending', code: 'payment_not_listed' }
  const ledgerHolds = async () => expect(await checkLedger(fixture.orm.em.fork())).toEqual([])

  test('a charge that was paid with another amount ends as EXPIRED, and the money stays an unmatched payment', async () => {
    const charge = await openChargePastExpiry()
    const listed = [charge.pix(900)]
    expect(await charge.poll(listed)).toMatchObject(NOT_LISTED)
    expect(await listChargesPastExpiry(fixture.orm.em.fork())).toContainEqual(
      expect.objectContaining({ charge: charge.uuid, total: '10.00', received: '9.00', is_confirmed: false }),
    )
    const signalsBefore = fixture.signalledWorkflowIds.length
    expect(await charge.confirm(900)).toBe(`charge/${charge.uuid}`)
    expect(fixture.signalledWorkflowIds.slice(signalsBefore)).toEqual([`charge/${charge.uuid}`])
    await charge.ageConfirmation(60)
    expect(await charge.poll(listed)).toMatchObject({ kind: 'known', state: 'expired' })
    const received = [{ cents: 900, reason: 'wrong_amount', disposition: 'held' }]
    expect(await charge.movements()).toEqual(received)
    // A later poll, and a repeat of the confirmation, move and record nothing.
    expect(await charge.poll(listed)).toMatchObject({ kind: 'known', state: 'expired' })
    await charge.confirm(900)
    expect(await charge.movements()).toEqual(received)
    expect(await charge.actions()).toEqual([
      { actor: 'ana', action: 'confirm_charge_expiry', reason: 'seen in the panel' },
    ])
    await ledgerHolds()
  })

  test.each([
    ['calls it paid and lists no payment', { kind: 'no_answer', code: 'payment_not_listed', message: '' }],
    ['no longer has it', { kind: 'not_found' }],
  ] as const)(
    'a confirmed charge ends where its provider %s, and not where it does not answer',
    async (_, answer) => {
      const charge = await openChargePastExpiry()
      expect(await charge.pollWithout(answer)).toMatchObject({ kind: 'no_answer', state: 'pending' })
      await charge.confirm(0)
      await charge.ageConfirmation(60)
      const timeout = { kind: 'no_answer', code: 'timeout', message: '' } as const
      expect(await charge.pollWithout(timeout)).toMatchObject({ kind: 'no_answer', state: 'pending' })
      expect(await charge.pollWithout(answer)).toMatchObject({ kind: 'known', state: 'expired' })
    },
  )

  test('a confirmed charge stays PENDING while the list of its provider may lag behind a payment of the last hour', async () => {
    const paid = await openChargePastExpiry()
    await paid.poll([])
    await paid.confirm(0)
    expect(await paid.poll([])).toMatchObject(NOT_LISTED)
    await paid.ageConfirmation(59)
    expect(await paid.poll([])).toMatchObject(NOT_LISTED)
    expect(await paid.pollWithout({ kind: 'not_found' })).toMatchObject({
      kind: 'no_answer',
      state: 'pending',
    })
    expect(await paid.poll([paid.pix(1_000)])).toMatchObject({ kind: 'known', state: 'paid' })
  })

  test('a payment of the charge wins over the confirmation, before and after the charge has ended', async () => {
    const before = await openChargePastExpiry()
    await before.poll([])
    await before.confirm(0)
    await before.ageConfirmation(60)
    expect(await before.poll([before.pix(1_000)])).toMatchObject({ kind: 'known', state: 'paid' })

    const after = await openChargePastExpiry()
    const wrong = after.pix(900)
    await after.poll([wrong])
    await after.confirm(900)
    await after.ageConfirmation(60)
    await after.poll([wrong])
    const listed = [wrong, after.pix(1_000)]
    expect(await after.poll(listed)).toMatchObject({ kind: 'known', state: 'paid' })
    expect(await after.poll(listed)).toMatchObject({ kind: 'known', state: 'paid' })
    expect(await after.movements()).toEqual([
      { cents: 900, reason: 'wrong_amount', disposition: 'held' },
      { cents: 1_000, reason: null, disposition: null },
    ])
    await ledgerHolds()
  })

  test('a confirmed charge waits for a payment in process, and while its provider shows it as payable', async () => {
    const charge = await openChargePastExpiry()
    await charge.poll([])
    await charge.confirm(0)
    await charge.ageConfirmation(60)
    expect(await charge.poll([], 'open')).toMatchObject({ ...NOT_LISTED, code: 'still_open' })
    const pix = charge.pix(900, { status: 'in_process' })
    expect(await charge.poll([pix])).toMatchObject({ state: 'pending' })
    expect(await charge.poll([{ ...pix, status: 'failed' }])).toMatchObject({
      kind: 'known',
      state: 'expired',
    })
  })

  test.each<[what: string, answer: FoundCharge['status'] | NoAnswerResult]>([
    ['still shows it as payable', 'open'],
    ['has ended it, so that the next poll ends it here', 'expired'],
    ['does not answer', { kind: 'no_answer', code: 'timeout', message: '' }],
    ['lists a payment without its id', { kind: 'no_answer', code: 'payment_unidentified', message: '' }],
  ])('a charge is not confirmed as unpaid where its provider %s', async (_, answer) => {
    const charge = await openChargePastExpiry()
    if (typeof answer === 'string') charge.scriptCharge([], answer)
    else fixture.scriptProvider({ findCharge: async () => answer })
    await expect(charge.confirm(0)).rejects.toThrow('Nothing was done')
    expect(await charge.actions()).toEqual([])
    // What the provider answers later is not what the operator has seen.
    expect(await charge.poll([])).toMatchObject(NOT_LISTED)
  })

  test('what the operator has not seen, and what is not past its expiry, is refused', async () => {
    const charge = await openChargePastExpiry()
    await charge.poll([charge.pix(900)])
    await expect(charge.confirm(0)).rejects.toThrow('R$ 9.00 was received')
    const young = await openChargePastExpiry({ expiredMsAgo: 1_000 })
    await expect(young.confirm(0)).rejects.toThrow('its expiry is less than a day ago')
    expect([await charge.actions(), await young.actions()]).toEqual([[], []])

    const insert = (uuid: string) =>
      fixture.sql(`insert into charge_expiry (charge_uuid, confirmed_by, reason) values (?, 'ana', 'r')`, [
        uuid,
      ])
    await expect(insert(young.uuid)).rejects.toMatchObject({ constraint: 'charge_expiry_due' })
    await insert(charge.uuid)
    await expect(
      fixture.sql('delete from charge_expiry where charge_uuid = ?', [charge.uuid]),
    ).rejects.toThrow('append-only')
  })
})
