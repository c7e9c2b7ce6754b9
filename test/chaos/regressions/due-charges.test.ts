import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { findCharge } from '../../../src/api/operations/charges.ts'
import { showCharge } from '../../../src/contract/charges/charge.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import type { ChargeRevisionDetails } from '../../../src/workflows/contracts/charges.ts'
import { TODAY } from '../../http/charges/support/due-charge.ts'
import {
  COLLECTION_KEY,
  openSimulatedProvider,
  type SimulatedProvider,
} from '../../providers/support/simulated.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Charges with a due date from the order to the ledger, at a simulated bank with faults. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let bank: SimulatedProvider
beforeAll(async () => {
  // Efí's own types lack the parts of a PIX, which the Central Bank's have.
  bank = await openSimulatedProvider('efi', { unpublished_fields: true })
  fixture = await openActivityFixture()
  fixture.scriptProvider(bank.provider)
})
beforeEach(() => bank.control.clearFaults())
afterAll(async () => {
  await fixture?.close()
  await bank?.close()
})

const DUE_DAY = findBusinessDay(addDays(TODAY, 20))
const TERMS: DueTerms = {
  on: DUE_DAY,
  payableDaysAfter: 30,
  fine: { type: 'PERCENTAGE', basisPoints: 300 },
  interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'DAY', days: 'CALENDAR' },
  abatement: null,
  discount: null,
}

async function issue() {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
  await fixture.sql('update connection set collection_key = ? where uuid = ?', [
    COLLECTION_KEY,
    connectionUuid,
  ])
  const uuid = randomUUID()
  const debtor = { name: 'Ana Souza', document: '52998224725' }
  const { state } = await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 10_000,
    expiresInSeconds: 60,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f', debtor, due: TERMS }),
    requestId: 'r',
    timeScale: 1,
  })
  expect(state).toBe('pending')
  const show = async () => {
    const charge = (await findCharge(fixture.orm.em.fork(), uuid))!
    return showCharge(charge, charge.refunds)
  }
  return {
    uuid,
    accountUuid,
    show,
    revise: (changes: Partial<ChargeRevisionDetails>, revisionUuid: string) =>
      fixture.providers.reviseCharge({
        chargeUuid: uuid,
        revisionUuid,
        order: {
          uuid: revisionUuid,
          requestId: 'r',
          details: fixture.seal.seal({ fingerprint: 'f', ...changes }),
        },
        isPayloadExpired: false,
      }),
    pay: async (on: string) => bank.control.pay({ payload: (await show()).payment.payload, on }),
    poll: () => fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: false }),
  }
}

test('one that is paid two days late brings in what its bank computed', async () => {
  const charge = await issue()
  await charge.pay(addDays(DUE_DAY, 2))
  expect(await charge.poll()).toMatchObject({ kind: 'known', state: 'paid' })
  expect(await charge.show()).toMatchObject({
    status: 'PAID',
    value: 10_000,
    net_value: 10_500,
    payment: { paid: { value: 10_500, fine: 300, interest: 200, discount: 0, abatement: 0 } },
  })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 10_500, outside: -10_500 })
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
})

test.each(['revision_lost', 'timeout_then_done', 'http_500'])(
  'a revision whose answer is %s is carried out once, and paid by its terms',
  async fault => {
    const charge = await issue()
    const revisionUuid = randomUUID()
    await bank.control.addFault({
      provider: 'PROVIDER_A',
      operation: 'reviseCharge',
      fault: fault as never,
    })
    const changes = { valueCents: 20_000 }
    expect(await charge.revise(changes, revisionUuid)).toMatchObject({ kind: 'no_answer', state: 'pending' })
    expect(await charge.show()).toMatchObject({ value: 10_000, revision: 0 })
    expect(await charge.revise(changes, revisionUuid)).toMatchObject({ kind: 'known', state: 'pending' })
    expect(await charge.show()).toMatchObject({ value: 20_000, revision: 1 })
    await charge.pay(addDays(DUE_DAY, 1))
    await charge.poll()
    expect(await charge.show()).toMatchObject({
      status: 'PAID',
      payment: { paid: { value: 20_800, fine: 600, interest: 200 } },
    })
  },
)

test('a revision that its bank has carried out unheard is the charge’s once the payment shows it', async () => {
  const charge = await issue()
  const revisionUuid = randomUUID()
  await bank.control.addFault({
    provider: 'PROVIDER_A',
    operation: 'reviseCharge',
    fault: 'timeout_then_done',
  })
  expect(await charge.revise({ valueCents: 5_000 }, revisionUuid)).toMatchObject({ kind: 'no_answer' })
  await charge.pay(DUE_DAY)
  await charge.poll()
  expect(await charge.show()).toMatchObject({
    status: 'PAID',
    value: 5_000,
    revision: 1,
    payment: { paid: { value: 5_000 } },
  })
})

test('a centavo that its bank computes otherwise is no wrong amount', async () => {
  const charge = await issue()
  await bank.control.addFault({ provider: 'PROVIDER_A', operation: 'findPayment', fault: 'centavo_off' })
  await charge.pay(addDays(DUE_DAY, 2))
  await charge.poll()
  expect(await charge.show()).toMatchObject({
    status: 'PAID',
    payment: { paid: { value: 10_501, interest: 201 } },
  })
})
