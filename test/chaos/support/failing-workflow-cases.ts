import { randomUUID } from 'node:crypto'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import type { DisputeReference, ProviderDispute } from '../../../src/domain/disputes/provider-dispute.ts'
import type { IncomingPix, IssuedCharge, ProviderPayout } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { generateSigningSecret, maskSigningSecret } from '../../../src/webhook-client/signature.ts'
import { LIST_COUNTERS_WORKFLOW } from '../../../src/workflows/contracts/maintenance.ts'
import { WORKFLOWS, type WorkflowInputs } from '../../../src/workflows/contracts/workflows.ts'
import type { openActivityFixture } from './activity-fixture.ts'
import { createDisputeFixture } from './dispute-fixture.ts'
import { createPaidCharge, createUnmatchedPayment, newEndToEndId } from './money-fixture.ts'

/** Operations of every noun that are in progress, and a bank that has carried out what it was ordered. */

/** Waits of the workflows are divided by it. */
export const CASE_TIME_SCALE = 100_000

type ActivityFixture = Awaited<ReturnType<typeof openActivityFixture>>

/** An operation in progress: its workflow, and the state that its row ends in; where it has none, the status of its workflow. */
export type FailingCase = {
  workflowId: string
  type: string
  input: object
  readState?: () => Promise<unknown>
  ends: string
}

const LOST = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const

/** A bank that carries out each order. No answer about money arrives, so that only look-ups show what it did. */
export function openBank() {
  const orders: string[] = []
  const lookUps: string[] = []
  const payouts = new Map<string, ProviderPayout>()
  const charges = new Map<
    string,
    { charge: IssuedCharge; status: 'open' | 'completed' | 'removed'; cents: number }
  >()
  const keys: string[] = []
  const now = () => new Date().toISOString()
  const createPix = (more: Partial<IncomingPix>): IncomingPix => ({
    endToEnd: newEndToEndId(),
    txid: null,
    reference: null,
    cents: 1_000,
    status: 'settled',
    at: now(),
    payer: null,
    pixKey: 'key',
    ...more,
  })
  const pay = async ({ id, cents }: { id: string; cents: number }) => {
    orders.push(id)
    payouts.set(id, { status: 'settled', cents, endToEnd: newEndToEndId(), at: now() })
    return LOST
  }
  const findPayout = async ({ id }: { id: string }) => {
    lookUps.push(id)
    const payout = payouts.get(id)
    return payout ? ({ kind: 'found', payout } as const) : ({ kind: 'not_found' } as const)
  }
  return {
    /** Our ids of what it was ordered, and the keys that it created. */
    orders,
    /** Our ids that it was polled for. */
    lookUps,
    /** Ids of the messages and webhook requests that were sent. */
    sent: [] as string[],
    /** The payer of a charge pays it. */
    payCharge: (uuid: string) =>
      Object.assign(charges.get(uuid.replaceAll('-', ''))!, { status: 'completed' }),
    provider: {
      sendTransfer: pay,
      findTransfer: findPayout,
      refund: pay,
      findRefund: findPayout,
      async issueCharge({ reference, totalCents }: { reference: string; totalCents: number }) {
        orders.push(reference)
        const charge = {
          txid: reference,
          payload: 'payload',
          pixKey: 'key',
          receiver: toParty({}),
          expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
        }
        charges.set(reference, { charge, status: 'open', cents: totalCents })
        return { kind: 'accepted', charge } as const
      },
      async findCharge(reference: string) {
        lookUps.push(reference)
        const found = charges.get(reference)
        if (!found) return { kind: 'not_found' } as const
        const { status, charge, cents } = found
        const isPaid = status === 'completed'
        const payments = isPaid
          ? [createPix({ txid: reference, reference, cents, endToEnd: `E${reference.slice(1)}` })]
          : []
        return { kind: 'found', status, charge, payments } as const
      },
      async cancelCharge(reference: string) {
        Object.assign(charges.get(reference)!, { status: 'removed' })
        return { kind: 'cancelled' } as const
      },
      findPayment: async (endToEnd: string) => ({ kind: 'found', payment: createPix({ endToEnd }) }) as const,
      async createKey() {
        const key = randomUUID()
        orders.push(key)
        keys.push(key)
        return LOST
      },
      async findDispute({ id, endToEnd }: DisputeReference) {
        const dispute: ProviderDispute = {
          id,
          kind: 'RECEIVED_MED',
          endToEnd: endToEnd!,
          disputeType: 'SCAM',
          cents: 1_000,
          status: 'disagreed',
          openedAt: now(),
          dueAt: null,
          details: '',
          analysis: '',
          returns: [],
          isClosed: true,
        }
        return { kind: 'found', dispute } as const
      },
      listKeys: async () =>
        ({ kind: 'found', keys: keys.map(key => ({ type: 'RANDOM', key }) as const) }) as const,
      deleteKey: async () => LOST,
    },
  }
}
export type Bank = ReturnType<typeof openBank>

/** Creates the rows of every noun in progress. */
export async function createFailingCases(fixture: ActivityFixture, bank: Bank): Promise<FailingCase[]> {
  const { sql, scriptProvider } = fixture
  const common = { requestId: 'r', timeScale: CASE_TIME_SCALE }
  const select = (query: string, uuid: string) => async () =>
    (await sql<{ state: string }>(query, [uuid]))[0]?.state
  const of = <Noun extends keyof WorkflowInputs>(
    noun: Noun,
    id: string,
    input: WorkflowInputs[Noun],
    state: Omit<FailingCase, 'workflowId' | 'type' | 'input'>,
  ): FailingCase => ({ workflowId: WORKFLOWS[noun].idOf(id), type: WORKFLOWS[noun].type, input, ...state })
  const stateOf = (
    table: 'charge' | 'transfer' | 'refund' | 'dispute' | 'pix_key',
    uuid: string,
    ends: string,
  ) => ({
    readState: select(`select state from ${table} where uuid = ?`, uuid),
    ends,
  })
  const dispositionOf = (uuid: string, ends: string) => ({
    readState: select('select disposition as state from movement where uuid = ?', uuid),
    ends,
  })
  const newMerchant = () => fixture.createMerchant(5_000)
  const createCharge = async () => {
    const { accountUuid, connectionUuid } = await newMerchant()
    return {
      uuid: randomUUID(),
      accountUuid,
      candidates: [connectionUuid],
      valueCents: 1_000,
      ...common,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
      expiresInSeconds: 86_400,
    }
  }
  const createRefused = async () => {
    const merchant = await newMerchant()
    const uuid = await createUnmatchedPayment(fixture, merchant)
    scriptProvider({
      refund: async () => ({ kind: 'rejected', finality: 'final', code: 'refused', message: '' }),
    })
    await fixture.providers.sendReturn({ uuid, connectionUuid: merchant.connectionUuid, isResend: false })
    scriptProvider(bank.provider)
    return uuid
  }

  // The fixture's own provider accepts and confirms it.
  const owner = await newMerchant()
  const webhookUuid = randomUUID()
  const secret = generateSigningSecret()
  await sql(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, 'https://hooks.test/', ?, ?, '{PAYMENT}', '', now())`,
    [webhookUuid, owner.accountUuid, fixture.seal.seal(secret), maskSigningSecret(secret)],
  )
  const paid = await createPaidCharge(fixture, owner)
  const [delivery] = await sql<{ uuid: string }>(
    `select uuid from delivery where webhook_uuid = ? and status = 'PENDING' order by created_at limit 1`,
    [webhookUuid],
  )
  const disputed = await createPaidCharge(fixture, await newMerchant())
  const [pix] = await sql<{ connection_uuid: string; end_to_end: string }>(
    'select connection_uuid, end_to_end from charge where uuid = ?',
    [disputed],
  )
  const dispute = createDisputeFixture(fixture, {
    connectionUuid: pix!.connection_uuid,
    endToEnd: pix!.end_to_end,
  })
  await dispute.pollAnswering()
  scriptProvider(bank.provider)

  const issued = await createCharge()
  await fixture.providers.issueCharge(issued)
  bank.payCharge(issued.uuid)
  const reported = await createCharge()
  await fixture.providers.issueCharge(reported)
  bank.payCharge(reported.uuid)
  await fixture.providers.pollCharge({ chargeUuid: reported.uuid, isPayloadExpired: false })
  const unstored = await createCharge()
  const orphaned = await createCharge()
  scriptProvider({
    issueCharge: async order => {
      await bank.provider.issueCharge(order)
      return LOST
    },
  })
  const [orphan] = (await fixture.providers.issueCharge(orphaned)).orphans
  scriptProvider(bank.provider)

  const sender = await newMerchant()
  const transfer = fixture.transferInput(sender, { timeScale: CASE_TIME_SCALE })
  await fixture.records.storeTransfer(transfer)
  const [connectionUuid] = transfer.candidates as [string]
  await fixture.providers.sendTransfer({ uuid: transfer.uuid, connectionUuid, isResend: false })
  const unstoredTransfer = fixture.transferInput(sender, { timeScale: CASE_TIME_SCALE })

  const refund = {
    uuid: randomUUID(),
    chargeUuid: paid,
    ...owner,
    valueCents: 300,
    fingerprint: 'f',
    ...common,
  }
  await fixture.records.openRefund(refund)
  await fixture.providers.sendRefund({
    uuid: refund.uuid,
    connectionUuid: owner.connectionUuid,
    isResend: false,
  })

  const payee = await newMerchant()
  const returning = await createUnmatchedPayment(fixture, payee)
  await fixture.providers.sendReturn({
    uuid: returning,
    connectionUuid: payee.connectionUuid,
    isResend: false,
  })
  const held = await createUnmatchedPayment(fixture, payee)
  const returnOf = (uuid: string) => ({
    uuid,
    connectionUuid: payee.connectionUuid,
    timeScale: CASE_TIME_SCALE,
  })
  const kept = await createRefused()
  const endToEnd = newEndToEndId()

  const removed = randomUUID()
  await sql(
    `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
       request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', ?, 'active', 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [removed, randomUUID(), payee.connectionUuid],
  )
  await fixture.providers.deleteKey({ uuid: removed })
  const key = {
    ...({ uuid: randomUUID(), ...sender, type: 'RANDOM', ...common } as const),
    details: fixture.seal.seal({ key: null, fingerprint: 'f' }),
  }
  await fixture.records.openPixKey(key)
  await fixture.providers.createKey({ uuid: key.uuid })
  const code = {
    ...({
      uuid: randomUUID(),
      accountUuid: payee.accountUuid,
      type: 'EMAIL',
      isSimulated: false,
      ...common,
    } as const),
    details: fixture.seal.seal({ address: 'a@example.com', fingerprint: 'f' }),
  }
  await fixture.records.storeAuthCode(code)
  const reset = {
    uuid: randomUUID(),
    timeScale: CASE_TIME_SCALE,
    details: fixture.seal.seal({ email: 'none@example.com' }),
  }

  return [
    of('charge', issued.uuid, issued, stateOf('charge', issued.uuid, 'paid')),
    of(
      'charge',
      reported.uuid,
      { reopen: reported.uuid, timeScale: CASE_TIME_SCALE },
      stateOf('charge', reported.uuid, 'paid'),
    ),
    of('charge', unstored.uuid, unstored, stateOf('charge', unstored.uuid, 'pending')),
    of(
      'orphan',
      orphan!,
      { attemptUuid: orphan!, timeScale: CASE_TIME_SCALE },
      {
        readState: select('select state from attempt where uuid = ?', orphan!),
        ends: 'closed',
      },
    ),
    of('transfer', transfer.uuid, transfer, stateOf('transfer', transfer.uuid, 'paid')),
    of(
      'transfer',
      unstoredTransfer.uuid,
      unstoredTransfer,
      stateOf('transfer', unstoredTransfer.uuid, 'paid'),
    ),
    of('refund', refund.uuid, refund, stateOf('refund', refund.uuid, 'settled')),
    of('return', returning, returnOf(returning), dispositionOf(returning, 'returned')),
    of('return', held, returnOf(held), dispositionOf(held, 'returned')),
    of('keep_unmatched', kept, { uuid: kept, sending: 1, cents: 1_000 }, dispositionOf(kept, 'kept')),
    of(
      'deposit',
      `${payee.connectionUuid}/${endToEnd}`,
      { ...payee, endToEnd, ...common },
      {
        readState: select('select type as state from movement where end_to_end = ?', endToEnd),
        ends: 'EXTERNAL_TRANSFER',
      },
    ),
    of(
      'dispute',
      dispute.order.uuid,
      { ...dispute.order, timeScale: CASE_TIME_SCALE },
      stateOf('dispute', dispute.order.uuid, 'rejected'),
    ),
    of('pix_key', key.uuid, key, stateOf('pix_key', key.uuid, 'active')),
    of(
      'pix_key_removal',
      removed,
      { uuid: removed, timeScale: CASE_TIME_SCALE },
      stateOf('pix_key', removed, 'removed'),
    ),
    of('auth_code', code.uuid, code, {
      readState: select('select delivery as state from auth_code where uuid = ?', code.uuid),
      ends: 'sent',
    }),
    of('password_reset', reset.uuid, reset, { ends: 'COMPLETED' }),
    of(
      'delivery',
      delivery!.uuid,
      { deliveryUuid: delivery!.uuid, timeScale: CASE_TIME_SCALE },
      {
        readState: select('select status as state from delivery where uuid = ?', delivery!.uuid),
        ends: 'DELIVERED',
      },
    ),
    of(
      'event_replay',
      webhookUuid,
      { webhookUuid: randomUUID(), since: new Date().toISOString(), until: new Date().toISOString() },
      { ends: 'COMPLETED' },
    ),
    // A round that a schedule has started; the schedule starts the next one.
    { workflowId: 'tally-1', type: LIST_COUNTERS_WORKFLOW, input: {}, ends: 'TERMINATED' },
  ]
}

/** Builds the dependencies that the activities of these cases take beside those of the fixture. */
export function buildCaseDependencies(bank: Bank): Pick<ActivityDependencies, 'messengers' | 'webhooks'> {
  return {
    messengers: {
      EMAIL: {
        async send({ id }) {
          bank.sent.push(id)
          return { kind: 'sent' }
        },
        close() {},
      },
      PHONE: null,
      close() {},
    },
    webhooks: {
      acquireSlot: async () => ({ release() {} }),
      async postSigned() {
        bank.sent.push('webhook')
        return { kind: 'answered', status: 204, durationMs: 1, answer: '', isAnswerWhole: true }
      },
      close: async () => {},
    },
  }
}
