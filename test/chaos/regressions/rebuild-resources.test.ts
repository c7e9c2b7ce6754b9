import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defaultPayloadConverter } from '@temporalio/common'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { startPause } from '../../../src/admin/pauses.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { rebuildWorkflows } from '../../../src/disaster-recovery/rebuild.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import type { TemporalContext } from '../../../src/temporal/workflow-options.ts'
import { ANY_EVENT_BODY } from '../../support/event-bodies.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'

/** What `trilho rebuild` does with refunds, returns, keys, disputes and deliveries after a restore of the database. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let merchant: Awaited<ReturnType<typeof fixture.createMerchant>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  merchant = await fixture.createMerchant(1_000)
  await pauseMoneyOut()
})
afterAll(() => fixture?.close())

const pauseMoneyOut = () =>
  startPause(fixture.orm.em.fork(), { target: 'all', reach: 'money_out', actor: 'ana', reason: 'restored' })

/** What Temporal remembers of one workflow. `ended` undefined: it runs. `shows`: its last status. */
type RememberedWorkflow = {
  type: string
  id: string
  order: object
  ended?: string
  shows?: string
  events?: object[]
}

const payloads = (value: unknown) => ({ payloads: [defaultPayloadConverter.toPayload(value)] })

function temporalOf({ type, id, order, ended, shows, events = [] }: RememberedWorkflow) {
  const did: object[] = []
  const run = {
    workflowId: id,
    runId: 'run',
    startTime: new Date(Date.now() - 3_600_000),
    status: { name: ended === undefined ? 'RUNNING' : 'COMPLETED' },
    typedSearchAttributes: {
      get: ({ name }: { name: string }) => (/status/i.test(name) ? shows : undefined),
    },
  }
  const begun = { workflowExecutionStartedEventAttributes: { input: payloads(order) } }
  const workflow = {
    options: { namespace: 'none' },
    workflowService: {
      getWorkflowExecutionHistory: async () => ({ history: { events: [begun, ...events] } }),
    },
    async *list({ query }: { query: string }) {
      const isOfType = query.includes(`'${type}'`) && (ended === undefined || query.includes('CloseTime'))
      if (isOfType || query === `WorkflowId = '${id}'`) yield run
    },
    getHandle: () => ({
      terminate: async () => did.push({ ended: id }),
      result: async () => ended,
      describe: async () => ({ ...run, raw: { pendingActivities: [] } }),
    }),
    signalWithStart: async (_: string, { workflowId }: { workflowId: string }) =>
      did.push({ asked: workflowId }),
    start: async (_: string, { workflowId, args }: { workflowId: string; args: object[] }) =>
      did.push({ begun: workflowId, ...args[0] }),
  }
  const temporal = {
    client: async () => ({ workflow }),
    taskQueue: 'none',
    timeScale: 1,
  } as unknown as TemporalContext
  return { temporal, did }
}

async function rebuilt(remembered: RememberedWorkflow) {
  const { temporal, did } = temporalOf(remembered)
  const said: object[] = []
  const rebuilding = { since: new Date(Date.now() - 1_800_000), actor: 'ana', reason: 'restored' }
  for await (const one of rebuildWorkflows(temporal, fixture.orm.em.fork(), rebuilding)) said.push(one)
  return { said, did }
}

const NOTHING = { said: [], did: [] }

/** An unmatched PIX of R$ 10.00. */
async function createStrayPayment(disposition = 'held') {
  const payment = {
    endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}`,
    txid: '',
    cents: 1_000,
    status: 'settled',
    at: new Date().toISOString(),
  } as IncomingPix
  const { uuid } = await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, merchant.connectionUuid)
    return recordUnmatchedPayment(em, { connection, payment, reason: 'second_payment', requestId: 'r' })
  })
  await fixture.sql('update movement set disposition = ? where uuid = ?', [disposition, uuid])
  return { uuid, endToEnd: payment.endToEnd }
}

/** A refund of a paid charge of R$ 10.00 with its current row; null: its row was lost. */
async function refund(state: 'sending' | 'failed' | 'settled' | null) {
  const { accountUuid, connectionUuid } = merchant
  const [chargeUuid, uuid, at] = [randomUUID(), randomUUID(), new Date().toISOString()]
  const charge = {
    txid: chargeUuid.replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver: toParty({ name: 'Loja' }),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  }
  const payment = {
    endToEnd: `E${charge.txid.slice(1)}`,
    txid: charge.txid,
    cents: 1_000,
    status: 'settled',
    at,
    payer: null,
    pixKey: 'key',
    reference: null,
  } as IncomingPix
  const settled = { status: 'settled', endToEnd: `D${charge.txid.slice(1)}`, cents: 300, at } as const
  fixture.scriptProvider({
    issueCharge: async () => ({ kind: 'accepted', charge }),
    findCharge: async () => ({ kind: 'found', status: 'completed', charge, payments: [payment] }),
    refund: async () =>
      state === 'settled'
        ? { kind: 'accepted', payout: settled }
        : { kind: 'rejected', finality: 'final', code: 'refund_refused', message: 'no' },
  })
  const asked = { accountUuid, requestId: 'r', timeScale: 1 }
  await fixture.providers.issueCharge({
    ...asked,
    uuid: chargeUuid,
    candidates: [connectionUuid],
    valueCents: 1_000,
    expiresInSeconds: 60,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
  })
  await fixture.providers.pollCharge({ chargeUuid, isPayloadExpired: false })
  const order = { ...asked, uuid, chargeUuid, connectionUuid, valueCents: 300, fingerprint: 'f' }
  if (state !== null) await fixture.records.openRefund(order)
  if (state === 'failed' || state === 'settled')
    await paying(() => fixture.providers.sendRefund({ uuid, connectionUuid, isResend: false }))
  return { uuid, order, connectionUuid }
}

/** Before the restore money out was not paused. */
async function paying(act: () => Promise<unknown>): Promise<void> {
  await fixture.sql('delete from pause')
  await act()
  await pauseMoneyOut()
}

const sentThrough = (type: string, connectionUuid: string, answer?: object) => [
  {
    eventId: 5,
    activityTaskScheduledEventAttributes: {
      activityType: { name: type },
      input: payloads({ connectionUuid }),
    },
  },
  ...(answer
    ? [{ activityTaskCompletedEventAttributes: { scheduledEventId: 5, result: payloads(answer) } }]
    : []),
]

type RefundRow = [
  row: 'sending' | 'failed' | 'settled' | null,
  workflow: string,
  ended: string | undefined,
  does: 'anew' | 'asks' | 'nothing',
]
test.each<RefundRow>([
  [null, 'runs', undefined, 'anew'],
  [null, 'had settled', 'settled', 'anew'],
  [null, 'had failed', 'failed', 'anew'],
  ['sending', 'has sent it', undefined, 'anew'],
  ['sending', 'had settled', 'settled', 'anew'],
  ['failed', 'had settled', 'settled', 'asks'],
  ['failed', 'had failed', 'failed', 'nothing'],
  ['settled', 'had settled', 'settled', 'nothing'],
])('a refund whose row is %s and whose workflow %s', async (state, _, ended, does) => {
  const { uuid, order, connectionUuid } = await refund(state)
  const id = `refund/${uuid}`
  const events = sentThrough('sendRefund', connectionUuid, { kind: 'in_process' })
  const came = await rebuilt({
    type: 'refundWorkflow',
    id,
    order,
    events,
    ...(ended !== undefined && { ended }),
  })
  if (does === 'nothing') return expect(came).toEqual(NOTHING)
  if (does === 'asks')
    return expect(came).toEqual({ said: [{ workflow: id, outcome: 'asked' }], did: [{ asked: id }] })
  expect(came.said).toEqual([
    { workflow: id, outcome: 'rebuilt', row: state === null ? 'missing' : 'behind' },
  ])
  const restored = { orderedAt: expect.any(String), ...(ended !== undefined && { ended }) }
  expect(came.did).toEqual([
    { ended: id },
    {
      begun: id,
      rebuild: { noun: 'refund', order, restored: expect.objectContaining(restored) },
      timeScale: 1,
    },
  ])
})

type ReturnRow = [row: string, workflow: string, ended: string | undefined, does: 'anew' | 'asks' | 'nothing']
test.each<ReturnRow>([
  ['returning', 'has sent it', undefined, 'anew'],
  ['held', 'had sent it', 'settled', 'anew'],
  ['not_returned', 'had settled', 'settled', 'asks'],
  ['not_returned', 'had been refused', 'rejected', 'nothing'],
  ['returned', 'had settled', 'settled', 'nothing'],
  ['kept', 'had been refused', 'rejected', 'nothing'],
])('the return of a PIX that is %s and whose workflow %s', async (disposition, _, ended, does) => {
  const { uuid } = await createStrayPayment(disposition)
  const { connectionUuid } = merchant
  const [id, order] = [`return/${uuid}`, { uuid, connectionUuid, timeScale: 1 }]
  const events = sentThrough('sendReturn', connectionUuid, { kind: 'in_process' })
  const came = await rebuilt({
    type: 'returnWorkflow',
    id,
    order,
    events,
    ...(ended !== undefined && { ended }),
  })
  if (does === 'nothing') return expect(came).toEqual(NOTHING)
  if (does === 'asks')
    return expect(came).toEqual({ said: [{ workflow: id, outcome: 'asked' }], did: [{ asked: id }] })
  expect(came.said).toEqual([{ workflow: id, outcome: 'rebuilt', row: 'behind' }])
  expect(came.did).toMatchObject([
    { ended: id },
    { begun: id, rebuild: { noun: 'return', order, restored: { acceptedByUuid: connectionUuid } } },
  ])
})

test('the return of a lost PIX is left to reconciliation, which records the PIX again', async () => {
  const uuid = randomUUID()
  const order = { uuid, connectionUuid: merchant.connectionUuid, timeScale: 1 }
  const id = `return/${uuid}`
  expect(await rebuilt({ type: 'returnWorkflow', id, order, ended: 'settled' })).toEqual(NOTHING)
})

test.each<[string, string | undefined]>([
  ['runs', undefined],
  ['had refused it', 'rejected'],
])('the return of an order that is lost is rebuilt with it, where its workflow %s', async (_, ended) => {
  const { uuid } = await createStrayPayment()
  const { accountUuid, connectionUuid } = merchant
  const lostOrder = { uuid: randomUUID(), depositUuid: uuid, accountUuid, connectionUuid }
  const order = {
    uuid,
    connectionUuid,
    timeScale: 1,
    order: { ...lostOrder, requestId: 'r', fingerprint: 'f' },
  }
  const id = `return/${uuid}`
  const came = await rebuilt({ type: 'returnWorkflow', id, order, ...(ended !== undefined && { ended }) })
  expect(came.said).toEqual([{ workflow: id, outcome: 'rebuilt', row: 'missing' }])
  expect(came.did).toMatchObject([{ ended: id }, { begun: id, rebuild: { noun: 'return', order } }])
})

/** A CNPJ that no other key has. */
const document = () => String(Math.floor(Math.random() * 1e14)).padStart(14, '0')

async function pixKey(type: string, state: string | null) {
  const uuid = randomUUID()
  const owner = await fixture.createMerchant(0)
  if (state !== null)
    await fixture.sql(
      `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
         request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, is_simulated, ?, ?, ?, 'r', 'f', now(), now()
       from connection where uuid = ?`,
      [uuid, type, type === 'RANDOM' ? null : document(), state, owner.connectionUuid],
    )
  const details = fixture.seal.seal({ key: type === 'RANDOM' ? null : document(), fingerprint: 'f' })
  const order = { uuid, ...owner, type, details, requestId: 'r', timeScale: 1 }
  return { uuid, order }
}

type KeyRow = [type: string, row: string | null, ended: string | undefined, outcome: string | null]
test.each<KeyRow>([
  ['DOCUMENT', null, undefined, 'rebuilt'],
  ['DOCUMENT', null, 'active', 'rebuilt'],
  ['DOCUMENT', 'creating', 'active', 'rebuilt'],
  ['DOCUMENT', 'creating', undefined, null],
  ['DOCUMENT', 'active', 'active', null],
  ['DOCUMENT', 'refused', 'refused', null],
  ['RANDOM', null, 'active', 'impossible'],
  ['RANDOM', null, 'refused', 'rebuilt'],
])('an %s key whose row is %s and whose workflow ended as %s: %s', async (type, state, ended, outcome) => {
  const { uuid, order } = await pixKey(type, state)
  const id = `pix-key/${uuid}`
  const { said, did } = await rebuilt({
    type: 'pixKeyWorkflow',
    id,
    order,
    ...(ended !== undefined && { ended }),
  })
  expect(said).toMatchObject(outcome === null ? [] : [{ workflow: id, outcome }])
  const restored = { orderedAt: expect.any(String), ended }
  expect(did).toEqual(
    outcome === 'rebuilt' ? [{ begun: id, rebuild: { noun: 'pix_key', order, restored }, timeScale: 1 }] : [],
  )
})

test.each([
  ['missing', undefined, 'rebuilt'],
  ['missing', 'rejected', 'rebuilt'],
  ['creating', 'rejected', 'rebuilt'],
  ['creating', undefined, null],
])('a recurrence whose row is %s and whose workflow ended as %s: %s', async (row, ended, outcome) => {
  const { accountUuid, connectionUuid } = merchant
  const terms = {
    valueCents: 500,
    minimumCents: null,
    frequency: 'MONTHLY',
    startsOn: '2027-01-10',
    endsOn: null,
    contract: 'plan-77',
    subject: null,
    retryPolicy: 'NOT_ALLOWED',
    journey: 'QR',
    generate: 'AUTOMATIC',
    daysBefore: 4,
  }
  const debtor = { name: 'Ana Souza', document: '52998224725' }
  const order = {
    uuid: randomUUID(),
    accountUuid,
    candidates: [connectionUuid],
    details: fixture.seal.seal({ terms, debtor, splits: [], fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  }
  const id = `recurrence/${order.uuid}`
  if (row === 'creating') await fixture.records.openRecurrence(order)
  const remembered = { type: 'recurrenceWorkflow', id, order, ...(ended !== undefined && { ended }) }
  const { said, did } = await rebuilt(remembered)
  expect(said).toMatchObject(outcome === null ? [] : [{ workflow: id, outcome }])
  const restored = { orderedAt: expect.any(String), ended }
  expect(did).toEqual(
    outcome === null ? [] : [{ begun: id, rebuild: { noun: 'recurrence', order, restored }, timeScale: 1 }],
  )
})

test.each<[row: string, ended: string | undefined, outcome: string | null, becomes: string]>([
  ['removing', 'removed', 'restored', 'removed'],
  ['active', 'removed', 'restored', 'removed'],
  ['removing', 'failed', 'asked', 'removing'],
  ['removing', undefined, null, 'removing'],
  ['removed', 'removed', null, 'removed'],
])('the removal of a key that is %s, which ended as %s: %s', async (state, ended, outcome, becomes) => {
  const { uuid } = await pixKey('DOCUMENT', state)
  const id = `pix-key/${uuid}/removal`
  const order = { uuid, timeScale: 1 }
  const { said, did } = await rebuilt({
    type: 'pixKeyRemovalWorkflow',
    id,
    order,
    ...(ended !== undefined && { ended }),
  })
  expect(said).toEqual(outcome === null ? [] : [{ workflow: id, outcome }])
  expect(did).toEqual(outcome === 'asked' ? [{ begun: id, ...order }] : [])
  expect(await fixture.sql('select state from pix_key where uuid = ?', [uuid])).toEqual([{ state: becomes }])
})

type MedRow = [
  row: 'there' | 'lost',
  workflow: string,
  remembered: Partial<RememberedWorkflow>,
  outcome: string | null,
]
test.each<MedRow>([
  ['lost', 'runs', {}, 'rebuilt'],
  ['lost', 'had ended', { ended: 'resolved' }, 'rebuilt'],
  ['there', 'runs and shows the same', { shows: 'PENDING' }, null],
  ['there', 'runs and has progressed further', { shows: 'ACCEPTED' }, 'asked'],
  ['there', 'had ended', { ended: 'resolved', shows: 'ACCEPTED' }, 'asked'],
])('a dispute whose row is %s and whose workflow %s', async (row, _, remembered, outcome) => {
  const { endToEnd } = await createStrayPayment()
  const dispute = createDisputeFixture(fixture, { connectionUuid: merchant.connectionUuid, endToEnd })
  if (row === 'there') expect(await dispute.pollAnswering()).toMatchObject({ kind: 'known', state: 'open' })
  const id = `med/${dispute.order.uuid}`
  const came = await rebuilt({ type: 'disputeWorkflow', id, order: dispute.order, ...remembered })
  if (outcome === null) return expect(came).toEqual(NOTHING)
  expect(came.said).toMatchObject([{ workflow: id, outcome }])
  expect(came.did).toEqual([{ asked: id }])
})

type DeliveryRow = [
  row: string | null,
  workflow: string | undefined,
  outcome: string | null,
  becomes?: string,
]
test.each<DeliveryRow>([
  ['PENDING', 'DELIVERED', 'restored', 'DELIVERED'],
  ['PENDING', 'FAILED', 'restored', 'FAILED'],
  ['PENDING', 'CANCELLED', 'restored', 'CANCELLED'],
  ['PENDING', undefined, null, 'PENDING'],
  ['DELIVERED', 'DELIVERED', null, 'DELIVERED'],
  [null, undefined, 'ended', undefined],
  [null, 'DELIVERED', null, undefined],
])(
  'a delivery whose row is %s and whose workflow ended as %s: %s',
  async (status, ended, outcome, becomes) => {
    const [uuid, webhook, event] = [randomUUID(), randomUUID(), randomUUID()]
    if (status !== null) {
      await fixture.sql(
        `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
       values (?, ?, 'https://shop.test', '', '', '{PAYMENT}', '', now())`,
        [webhook, merchant.accountUuid],
      )
      await fixture.sql(
        `insert into event (uuid, account_uuid, type, subject_uuid, owner_uuid, sequence, body, request_id, created_at)
       values (?, ?, 'PAYMENT', gen_random_uuid(), gen_random_uuid(), 1, ?, 'r', now())`,
        [event, merchant.accountUuid, ANY_EVENT_BODY],
      )
      await fixture.sql(
        `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, created_at, updated_at)
       values (?, ?, ?, 'PAYMENT', ?, now(), now())`,
        [uuid, webhook, event, status],
      )
    }
    const id = `webhook/${uuid}`
    const { said, did } = await rebuilt({
      type: 'deliveryWorkflow',
      id,
      order: { uuid },
      ...(ended !== undefined && { ended }),
    })
    expect(said).toEqual(outcome === null ? [] : [{ workflow: id, outcome }])
    expect(did).toEqual(outcome === 'ended' ? [{ ended: id }] : [])
    const rows = await fixture.sql('select status from delivery where uuid = ?', [uuid])
    expect(rows).toEqual(becomes === undefined ? [] : [{ status: becomes }])
  },
)
