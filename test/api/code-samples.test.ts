import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { REVISE_CHARGE_EXAMPLE } from '../../src/contract/charges/due-example.ts'
import { REQUEST_DISPUTE_EXAMPLE } from '../../src/contract/disputes/dispute-example.ts'
import { CHARGE_RECURRENCE_EXAMPLE } from '../../src/contract/recurrences/recurrence-example.ts'
import { CREATE_REPORT_EXAMPLE } from '../../src/contract/reports/report-example.ts'
import { EXAMPLE_AUTHENTICATION, EXAMPLE_UUIDS } from '../../src/contract/shared/example-values.ts'
import { addDays } from '../../src/domain/charges/business-days.ts'
import { computeBrasiliaDay } from '../../src/domain/shared/brasilia-day.ts'
import { FILES } from '../support/files.ts'
import { installSdkPackages } from '../support/python-packages.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import type { ApiClient } from './support/client.ts'
import { readOutboxCode } from './support/outbox.ts'
import { type ApiResource, createPayoutActions } from './support/payout-actions.ts'
import { pollUntil } from './support/poll-until.ts'
import {
  runCurlSamples,
  runPythonSamples,
  runTypeScriptSamples,
  type Sample,
} from './support/sample-programs.ts'
import { openSharedTestStack, type TestStack } from './support/test-stack.ts'

/**
 * The samples of the API reference, of every operation in every language, against a running Trilho. Only what names a
 * resource, an address or a token is replaced; the rest is run as it is shown.
 */

type SampledOperation = { operationId: string; 'x-codeSamples': { label: string; source: string }[] }
const LABELS = ['curl', 'TypeScript', 'Python']

let stack: TestStack
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
beforeAll(async () => {
  await installSdkPackages() // The first time on a machine it takes a minute, in which what the samples use may expire.
  ;[stack, folder] = await Promise.all([openSharedTestStack(), createTemporaryFolder()])
  await writeFile(join(folder.path, 'receipt.pdf'), FILES.pdf)
})
afterAll(async () => {
  await stack?.close()
  await folder?.remove()
})

const listOperations = () => {
  const { paths } = stack.contract.document as { paths: Record<string, Record<string, SampledOperation>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
}

test('every operation has a sample in each language', () => {
  const lacking = listOperations().filter(operation => {
    const labels = operation['x-codeSamples'].map(({ label }) => label)
    return LABELS.some(label => !labels.includes(label))
  })
  expect(lacking.map(({ operationId }) => operationId)).toEqual([])
})

test('every curl sample does what it shows', async () => {
  const { samples, site } = await prepareSamples('curl')
  const ran = await runCurlSamples(samples, site)
  const wrong = ran.filter(({ status }) => ![200, 201, 202].includes(status))
  expect(wrong).toEqual([])
  expect(ran).toHaveLength(samples.length)
})

test('every TypeScript sample is typed and does what it shows', async () => {
  const { samples, site } = await prepareSamples('TypeScript')
  const finished = await runTypeScriptSamples(samples, site)
  expect(finished).toEqual(samples.map(({ operationId }) => operationId))
})

test('every Python sample does what it shows', async () => {
  const { samples, site } = await prepareSamples('Python')
  const finished = await runPythonSamples(samples, site)
  if (finished) expect(finished).toEqual(samples.map(({ operationId }) => operationId))
})

/** The samples of one language with the resources of a merchant of its own, in an order in which all can succeed. */
async function prepareSamples(label: string) {
  const made = await createSampleFixtures(label)
  const samples = listOperations()
    // A retry needs a debit that has failed on its day; test/api/recurrences has one.
    .filter(({ operationId }) => operationId !== 'retryPayment')
    .map(({ operationId, 'x-codeSamples': all }): Sample => {
      const { source } = all.find(sample => sample.label === label)!
      return { operationId, source: replaceExamples(operationId, source, made) }
    })
    .sort((one, other) => orderOf(one) - orderOf(other))
  return { samples, site: { folder: folder.path, url: stack.local.api_url, token: made.merchant.token } }
}

/** A key exists only after its sample has run, and nothing is left after a removal. */
function orderOf({ operationId }: Sample): number {
  if (operationId === 'createPixKey') return 0
  return operationId.startsWith('delete') ? 2 : 1
}

type SampleFixtures = Awaited<ReturnType<typeof createSampleFixtures>>

async function createSampleFixtures(label: string) {
  const payouts = createPayoutActions(stack)
  const merchant = await stack.createMerchant({
    // Woovi changes no charge with a due date.
    providers: [
      { provider: 'PROVIDER_B', dialect: 'woovi', balance: 1_000 },
      { provider: 'PROVIDER_A', dialect: 'efi' },
    ],
  })
  const { api } = merchant
  const dueDay = addDays(computeBrasiliaDay(new Date()), 20)
  const key = `ana-${crypto.randomUUID()}@example.com`
  const [
    recipient,
    open,
    due,
    paid,
    refunded,
    disputed,
    settled,
    scheduled,
    code,
    webhook,
    qrCode,
    counterCode,
    link,
    lookup,
    recurrence,
    endingRecurrence,
    report,
    endingReport,
  ] = await Promise.all([
    stack.createRecipient(merchant),
    api.createCharge(),
    api.createCharge({
      due: { on: dueDay },
      debtor: { name: 'Ana Lima', document: '52998224725' },
      provider_uuid: merchant.connections[1]!.uuid,
    }),
    payouts.createPaidCharge(merchant, { value: 200 }),
    payouts.createPaidCharge(merchant, { value: 200 }),
    payouts.createPaidCharge(merchant),
    payouts.sendAndSettle(merchant),
    payouts.send(merchant, { scheduled_for: new Date(Date.now() + 86_400_000).toISOString() }),
    api.post('/api/v1/pix-keys/auth-code', { type: 'EMAIL', key }),
    api.post('/api/v1/webhooks', { url: `${stack.local.inbox_url}/${label}-${merchant.uuid}` }),
    api.post('/api/v1/qr-codes', {}),
    api.post('/api/v1/qr-codes', {}),
    api.post('/api/v1/payment-links', { value: 50 }),
    api.post('/api/v1/pix-keys/lookup', { pix_key: 'joao.lima@example.com' }),
    createActiveRecurrence(api),
    createActiveRecurrence(api),
    createReadyReport(api),
    createReadyReport(api),
  ])
  for (const value of [10, 11]) await stack.simulator.deposit({ account: merchant.connection.account, value })
  await stack.simulator.openDispute({ end_to_end: disputed.payment.pix.transaction.end_to_end, type: 'SCAM' })
  const [refund, delivery, authCode, med, event, [deposit, unnamedDeposit]] = await Promise.all([
    payouts.requestRefund(merchant, refunded, { value: 10 }),
    api.post(`/api/v1/webhooks/${webhook.body.data.uuid}/test`),
    readOutboxCode(stack, key),
    pollUntil(
      () => api.get('/api/v1/meds'),
      ({ body }) => body.data.length === 1,
    ),
    api.get('/api/v1/events'),
    pollUntil(
      async () => (await payouts.listPixEvents(merchant)).filter(({ reason }) => reason === 'deposit'),
      found => found.length === 2,
    ),
  ])
  const foreign = (await stack.simulator.listForeignCodes()).find(({ name }) => name === 'payable')!
  const reading = await api.post('/api/v1/qr-codes/read', { payload: foreign.payload })
  const receipt = await api.get(`/api/v1/payments/${paid.uuid}/receipt`)
  const { uuid: transferUuid } = await payouts.sendAndSettle(merchant)
  const requestedMed = await api.post('/api/v1/meds', {
    ...REQUEST_DISPUTE_EXAMPLE,
    transfer_uuid: transferUuid,
  })
  const returnedMed = await createReturnedDispute(merchant)
  const waiting = await createWaitingOrders(merchant)
  return {
    merchant,
    waiting,
    recipient,
    key,
    authCode,
    open,
    due,
    dueDay,
    paid,
    refunded,
    settled,
    scheduled: scheduled.body.data,
    codeId: code.body.data.auth_code_id,
    webhook: webhook.body.data,
    qrCode: qrCode.body.data,
    counterCode: counterCode.body.data,
    link: link.body.data,
    lookup: lookup.body.data,
    recurrence,
    endingRecurrence,
    report,
    endingReport,
    reading: reading.body.data,
    authentication: receipt.body.data.authentication as string,
    refund: refund.body.data.refund,
    delivery: delivery.body.data,
    med: med.body.data[0],
    requestedMed: requestedMed.body.data,
    returnedMed,
    event: event.body.data[0],
    deposit: deposit!,
    unnamedDeposit: unnamedDeposit!,
  }
}

/** Creates a dispute whose bank has returned the money of its charge. */
async function createReturnedDispute(
  merchant: Awaited<ReturnType<TestStack['createMerchant']>>,
): Promise<{ uuid: string }> {
  const { uuid, payment } = await createPayoutActions(stack).createPaidCharge(merchant)
  const { id } = await stack.simulator.openDispute({
    end_to_end: payment.pix.transaction.end_to_end,
    type: 'SCAM',
  })
  const waitForDispute = async (isWanted: (med: ApiResource) => boolean): Promise<ApiResource> => {
    const find = async () => {
      const { body } = await merchant.api.get('/api/v1/meds')
      return (body.data as ApiResource[]).find(one => one.charge_uuid === uuid && isWanted(one))
    }
    return pollUntil(find, found => found !== undefined)
  }
  await waitForDispute(() => true)
  await stack.simulator.decideDispute(id, 'agreed')
  return waitForDispute(({ contestable_until }) => contestable_until !== undefined)
}

const recurrenceDay = addDays(computeBrasiliaDay(new Date()), 5)

/** Creates a recurrence that its payer has authorized; no cycle of it is charged yet. */
async function createActiveRecurrence(api: ApiClient): Promise<{ uuid: string }> {
  const { body } = await api.post('/api/v1/recurrences', {
    value: 49.9,
    frequency: 'MONTHLY',
    starts_on: recurrenceDay,
    days_before: 3,
    contract: 'plan-77',
    debtor: { name: 'Maria da Silva', document: '52998224725' },
    retry_policy: 'NOT_ALLOWED',
    journey: 'QR',
  })
  const { uuid, rail_id } = body.data
  await stack.simulator.decideRecurrence(rail_id, { decision: 'accept' })
  await pollUntil(
    () => api.get(`/api/v1/recurrences/${uuid}`),
    shown => shown.body.data.status === 'ACTIVE',
  )
  return { uuid }
}

/** Creates a report whose file is made. */
async function createReadyReport(api: ApiClient): Promise<{ uuid: string }> {
  const { body } = await api.post('/api/v1/reports', CREATE_REPORT_EXAMPLE)
  const { uuid } = body.data
  await pollUntil(
    () => api.get(`/api/v1/reports/${uuid}`),
    shown => shown.body.data.status === 'READY',
  )
  return { uuid }
}

/** Transfers and batches that wait: for the approval of the person who makes the token of the samples, and for their time. */
async function createWaitingOrders({ uuid, api }: Awaited<ReturnType<TestStack['createMerchant']>>) {
  const order = async (maker: typeof api, body: object = {}) => {
    const items = [{ value: 2, pix_key: 'joao.lima@example.com', external_ref: 'payout-77' }]
    return (await maker.post('/api/v1/transfers/batches', { items, ...body })).body.data.uuid as string
  }
  await stack.sql('update token set author = ? where account_uuid = ?', [`ana-${uuid}@shop.com`, uuid])
  const maker = api.withToken(await stack.token({ accountUuid: uuid, author: `bia-${uuid}@shop.com` }))
  await api.put('/api/v1/limits', { approvals: { above: 1, count: 1, expires_hours: 24 } })
  const transfer = async () => {
    const body = { value: 2, pix_key: 'joao.lima@example.com' }
    return (await maker.post('/api/v1/transfers', body)).body.data.uuid as string
  }
  const transfers: Record<string, string> = {
    approveTransfer: await transfer(),
    rejectTransfer: await transfer(),
  }
  const batches: Record<string, string> = {
    approveTransferBatch: await order(maker),
    rejectTransferBatch: await order(maker),
  }
  // Transfers of the other samples wait for nobody; a PUT would allow them in 24 hours.
  await stack.sql('delete from account_limits where account_uuid = ?', [uuid])
  const scheduledFor = new Date(Date.now() + 86_400_000).toISOString()
  return { transfers, batches, batch: await order(api, { scheduled_for: scheduledFor }) }
}

/** Puts real resources, addresses and keys in the place of the examples. */
function replaceExamples(operationId: string, source: string, made: SampleFixtures): string {
  const charges = { cancelPayment: made.open, refundPayment: made.paid, revisePayment: made.due }
  const charge = charges[operationId as keyof typeof charges] ?? made.refunded
  const { transfers, batches, batch } = made.waiting
  const transfer = { cancelTransfer: made.scheduled.uuid, ...transfers }[operationId] ?? made.settled.uuid
  const isAssignment = operationId === 'assignDeposit'
  const deposit = isAssignment ? made.unnamedDeposit : made.deposit
  const qrCode = isAssignment ? made.counterCode : made.qrCode
  const recurrence = operationId === 'cancelRecurrence' ? made.endingRecurrence : made.recurrence
  const disputes = { cancelMed: made.requestedMed, contestMed: made.returnedMed }
  const dispute = disputes[operationId as keyof typeof disputes] ?? made.med
  const report = operationId === 'deleteReport' ? made.endingReport : made.report
  const replacements: [example: string | RegExp, real: string][] = [
    [EXAMPLE_UUIDS.charge, charge.uuid],
    [EXAMPLE_UUIDS.refund, made.refund.uuid],
    [EXAMPLE_UUIDS.transfer, transfer],
    [EXAMPLE_UUIDS.transferBatch, batches[operationId] ?? batch],
    [EXAMPLE_UUIDS.deposit, deposit.uuid],
    [EXAMPLE_UUIDS.dispute, dispute.uuid],
    [EXAMPLE_UUIDS.provider, made.merchant.connection.uuid],
    [EXAMPLE_UUIDS.recipient, made.recipient.uuid],
    [EXAMPLE_UUIDS.webhook, made.webhook.uuid],
    [EXAMPLE_UUIDS.delivery, made.delivery.uuid],
    [EXAMPLE_UUIDS.event, made.event.id],
    [EXAMPLE_UUIDS.code, made.codeId],
    [EXAMPLE_UUIDS.qrCode, qrCode.uuid],
    [EXAMPLE_UUIDS.paymentLink, made.link.uuid],
    [EXAMPLE_UUIDS.keyLookup, made.lookup.uuid],
    [EXAMPLE_UUIDS.codeReading, made.reading.uuid],
    [EXAMPLE_UUIDS.recurrence, recurrence.uuid],
    [EXAMPLE_UUIDS.report, report.uuid],
    [EXAMPLE_AUTHENTICATION, made.authentication],
    [/480517/g, made.authCode],
    [/contato@lojadaana\.example\.com/g, made.key],
    [/contato%40lojadaana\.example\.com/g, encodeURIComponent(made.key)],
    [/https:\/\/loja\.example\.com[^'"]*/g, `${stack.local.inbox_url}/${operationId}-${made.merchant.uuid}`],
    [/order-1042-\w+/g, crypto.randomUUID()],
    // The days of the examples pass.
    ...replaceDays(operationId, made),
  ]
  return replacements.reduce((text, [example, real]) => text.replaceAll(example, real), source)
}

function replaceDays(operationId: string, { dueDay }: SampleFixtures): [example: string, real: string][] {
  if (operationId.endsWith('Recurrence')) return [[CHARGE_RECURRENCE_EXAMPLE.due_on, recurrenceDay]]
  const { on, discount } = REVISE_CHARGE_EXAMPLE.due
  return [
    [on, dueDay],
    [discount.until[0]!.on, addDays(dueDay, -5)],
  ]
}
