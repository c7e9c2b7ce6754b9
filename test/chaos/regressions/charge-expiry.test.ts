import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { confirmChargeExpiry } from '../../../src/admin/charge-expiry.ts'
import { listChargesPastExpiry } from '../../../src/db/repositories/charge-expiries.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type {
  FoundCharge,
  IncomingPix,
  IssuedCharge,
  NoAnswerResult,
  NotFoundResult,
} from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

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
      fixture.sql('select actor, action, reason from operator_action where subject = ?', [`charge/${uuid}`]),
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
  expect(await paid.pollWithout({ kind: 'not_found' })).toMatchObject({ kind: 'no_answer', state: 'pending' })
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
  expect(await charge.poll([{ ...pix, status: 'failed' }])).toMatchObject({ kind: 'known', state: 'expired' })
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
  await expect(young.confirm(0)).rejects.toThrow('is not PENDING a day after its expiry')
  expect([await charge.actions(), await young.actions()]).toEqual([[], []])

  const insert = (uuid: string) =>
    fixture.sql(`insert into charge_expiry (charge_uuid, confirmed_by, reason) values (?, 'ana', 'r')`, [
      uuid,
    ])
  await expect(insert(young.uuid)).rejects.toMatchObject({ constraint: 'charge_expiry_due' })
  await insert(charge.uuid)
  await expect(fixture.sql('delete from charge_expiry where charge_uuid = ?', [charge.uuid])).rejects.toThrow(
    'append-only',
  )
})
