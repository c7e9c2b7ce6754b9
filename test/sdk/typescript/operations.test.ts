import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type OperationId, Trilho, VERSION } from '../../../sdk/typescript/src/index.ts'
import { startScriptedApi } from './support/scripted-api.ts'

/** Every operation of openapi.json can be called, by its method and path. */

const ROOT = join(import.meta.dirname, '../../..')
const readJson = async (file: string) => JSON.parse(await readFile(join(ROOT, file), 'utf8'))
const document = await readJson('openapi.json')

const UUID = '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
const OTHER = '0b1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
const FILE = { file: new Blob(['proof'], { type: 'application/pdf' }), name: 'proof.pdf' }

/** A call of each operation; the compiler refuses an operation without one. */
const CALLS: Record<OperationId, (trilho: Trilho) => Promise<unknown>> = {
  createPayment: trilho => trilho.payments.create({ value: 1, type: 'PIX' }),
  listPayments: trilho => trilho.payments.list(),
  getPayment: trilho => trilho.payments.get(UUID),
  getPaymentQrSvg: trilho => trilho.payments.getQrSvg(UUID),
  getPaymentQrPng: trilho => trilho.payments.getQrPng(UUID),
  revisePayment: trilho => trilho.payments.revise(UUID, { value: 1 }),
  retryPayment: trilho => trilho.payments.retry(UUID, { on: '2026-12-12' }),
  cancelPayment: trilho => trilho.payments.cancel(UUID),
  refundPayment: trilho => trilho.payments.refund(UUID, { value: 1 }),
  listPaymentRefunds: trilho => trilho.payments.listRefunds(UUID),
  getPaymentRefund: trilho => trilho.payments.getRefund(UUID, OTHER),
  getPaymentReceipt: trilho => trilho.payments.getReceipt(UUID),
  getPaymentReceiptPdf: trilho => trilho.payments.getReceiptPdf(UUID),
  getPaymentRefundReceipt: trilho => trilho.payments.getRefundReceipt(UUID, OTHER),
  getPaymentRefundReceiptPdf: trilho => trilho.payments.getRefundReceiptPdf(UUID, OTHER),
  getTransferReceipt: trilho => trilho.transfers.getReceipt(UUID),
  getTransferReceiptPdf: trilho => trilho.transfers.getReceiptPdf(UUID),
  checkReceipt: trilho => trilho.receipts.check('a.k1.b'),
  createQrCode: trilho => trilho.qrCodes.create({ reference: 'BALCAO3' }),
  listQrCodes: trilho => trilho.qrCodes.list(),
  getQrCode: trilho => trilho.qrCodes.get(UUID),
  getQrCodeQrSvg: trilho => trilho.qrCodes.getQrSvg(UUID),
  getQrCodeQrPng: trilho => trilho.qrCodes.getQrPng(UUID),
  listQrCodePayments: trilho => trilho.qrCodes.listPayments(UUID),
  readQrCode: trilho => trilho.qrCodes.read({ payload: '000201' }),
  getCodeReading: trilho => trilho.qrCodes.getReading(UUID),
  disableQrCode: trilho => trilho.qrCodes.disable(UUID),
  createPaymentLink: trilho => trilho.paymentLinks.create({ value: 50, max_payments: 30 }),
  listPaymentLinks: trilho => trilho.paymentLinks.list(),
  getPaymentLink: trilho => trilho.paymentLinks.get(UUID),
  revokePaymentLink: trilho => trilho.paymentLinks.revoke(UUID),
  createRecurrence: trilho =>
    trilho.recurrences.create({
      value: 59.9,
      frequency: 'MONTHLY',
      starts_on: '2027-01-10',
      contract: 'PLANO-42',
      debtor: { name: 'Maria Silva', document: '52998224725' },
      retry_policy: 'THREE_IN_SEVEN_DAYS',
      journey: 'QR',
    }),
  listRecurrences: trilho => trilho.recurrences.list(),
  getRecurrence: trilho => trilho.recurrences.get(UUID),
  getRecurrenceQrSvg: trilho => trilho.recurrences.getQrSvg(UUID),
  getRecurrenceQrPng: trilho => trilho.recurrences.getQrPng(UUID),
  cancelRecurrence: trilho => trilho.recurrences.cancel(UUID),
  chargeRecurrence: trilho => trilho.recurrences.charge(UUID, { value: 59.9, due_on: '2027-01-10' }),
  listRefunds: trilho => trilho.refunds.list(),
  getDeposit: trilho => trilho.deposits.get(UUID),
  returnDeposit: trilho => trilho.deposits.returnToPayer(UUID),
  assignDeposit: trilho => trilho.deposits.assign(UUID, { qr_code_uuid: UUID }),
  listMeds: trilho => trilho.meds.list(),
  getMed: trilho => trilho.meds.get(UUID),
  replyToMed: trilho => trilho.meds.reply(UUID, { accept: false, analysis: 'Sent.', attachments: [FILE] }),
  createCodeTransfer: trilho => trilho.transfers.payCode({ read_uuid: UUID }),
  createAccountTransfer: trilho =>
    trilho.transfers.createToAccount({
      value: 1,
      receiver: {
        name: 'Maria Silva',
        document: '52998224725',
        bank_code: '260',
        agency: '1',
        account: '1234567',
        account_type: 'CHECKING',
      },
    }),
  createTransfer: trilho => trilho.transfers.create({ value: 1, type: 'PIX', pix_key: 'joana@example.com' }),
  listTransfers: trilho => trilho.transfers.list(),
  getTransfer: trilho => trilho.transfers.get(UUID),
  cancelTransfer: trilho => trilho.transfers.cancel(UUID),
  listBanks: trilho => trilho.banks.list(),
  approveTransfer: trilho => trilho.transfers.approve(UUID),
  rejectTransfer: trilho => trilho.transfers.reject(UUID, { reason: 'wrong supplier' }),
  createTransferBatch: trilho =>
    trilho.transferBatches.create({
      items: [{ value: 1, pix_key: 'joana@example.com', external_ref: 'a' }],
    }),
  listTransferBatches: trilho => trilho.transferBatches.list(),
  getTransferBatch: trilho => trilho.transferBatches.get(UUID),
  listTransferBatchItems: trilho => trilho.transferBatches.listItems(UUID),
  approveTransferBatch: trilho => trilho.transferBatches.approve(UUID),
  rejectTransferBatch: trilho => trilho.transferBatches.reject(UUID, { reason: 'wrong month' }),
  cancelTransferBatch: trilho => trilho.transferBatches.cancel(UUID),
  createPixKeyAuthCode: trilho => trilho.pixKeys.requestAuthCode({ type: 'EMAIL', key: 'a@example.com' }),
  createPixKey: trilho => trilho.pixKeys.create({ type: 'RANDOM' }),
  listPixKeys: trilho => trilho.pixKeys.list(),
  getPixKey: trilho => trilho.pixKeys.get('+5511999999999'),
  lookUpPixKey: trilho => trilho.pixKeys.lookUp({ pix_key: 'maria@example.com' }),
  getPixKeyLookup: trilho => trilho.pixKeys.getLookup(UUID),
  deletePixKey: trilho => trilho.pixKeys.delete('maria@example.com'),
  getLimits: trilho => trilho.limits.get(),
  replaceLimits: trilho => trilho.limits.replace({ per_day: 100 }),
  rotateCalloutToken: trilho => trilho.limits.rotateCalloutToken(),
  getLimitUsage: trilho => trilho.limits.getUsage(),
  listProviders: trilho => trilho.providers.list(),
  getProvider: trilho => trilho.providers.get(UUID),
  getDefaultProviders: trilho => trilho.providers.getDefaults(),
  replaceDefaultProviders: trilho =>
    trilho.providers.replaceDefaults({ payment_type: 'PIX', provider_uuids: [UUID] }),
  createWebhook: trilho => trilho.webhooks.create({ url: 'https://shop.example/pix' }),
  listWebhooks: trilho => trilho.webhooks.list(),
  getWebhook: trilho => trilho.webhooks.get(UUID),
  updateWebhook: trilho => trilho.webhooks.update(UUID, { status: 'DISABLED' }),
  deleteWebhook: trilho => trilho.webhooks.delete(UUID),
  rotateWebhookToken: trilho => trilho.webhooks.rotateToken(UUID),
  testWebhook: trilho => trilho.webhooks.test(UUID),
  listWebhookDeliveries: trilho => trilho.webhooks.listDeliveries(UUID),
  resendWebhookDelivery: trilho => trilho.webhooks.resendDelivery(UUID, OTHER),
  recoverWebhook: trilho => trilho.webhooks.recover(UUID, { since: '2026-11-21T00:00:00Z' }),
  listEvents: trilho => trilho.events.list(),
  getEvent: trilho => trilho.events.get(UUID),
  listLedgerLines: trilho => trilho.ledger.list(),
  getLedgerBalances: trilho => trilho.ledger.getBalances(),
  exportLedgerCsv: trilho => trilho.ledger.exportCsv(),
  exportLedgerOfx: trilho => trilho.ledger.exportOfx(),
  createReport: trilho =>
    trilho.reports.create({
      kind: 'LEDGER',
      format: 'CSV',
      date_from: '2026-10-01',
      date_to: '2026-10-31',
    }),
  listReports: trilho => trilho.reports.list(),
  getReport: trilho => trilho.reports.get(UUID),
  getReportSchedules: trilho => trilho.reports.getSchedules(),
  replaceReportSchedules: trilho => trilho.reports.replaceSchedules({ schedules: [] }),
  downloadReport: trilho => trilho.reports.download(UUID),
  deleteReport: trilho => trilho.reports.delete(UUID),
  listReconciliations: trilho => trilho.reconciliations.list(),
  getReconciliation: trilho => trilho.reconciliations.get(UUID),
  listReconciliationDifferences: trilho => trilho.reconciliations.listDifferences(UUID),
  getLiveness: trilho => trilho.health.getLiveness(),
  getReadiness: trilho => trilho.health.getReadiness(),
}

type Described = {
  operationId: string
  parameters?: { name: string }[]
  requestBody?: { content: object }
  responses: Record<string, { content: Record<string, unknown> }>
}
const described = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
)

let api: Awaited<ReturnType<typeof startScriptedApi>>
let trilho: Trilho
beforeAll(async () => {
  api = await startScriptedApi()
  trilho = new Trilho({ token: 'trl_test', baseUrl: `${api.url}/api/v1/` })
})
afterAll(() => api?.close())

test('the generated files are what openapi.json describes: npm run sdk:typescript', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [
    join(ROOT, 'sdk/typescript/generate.ts'),
    '--check',
  ]).catch((error: { stderr: string }) => error)
  expect(stderr).toBe('')
})

test('every operation of the document has a call', () => {
  expect(described.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(CALLS).sort())
})

describe.each(described)(
  '$operationId',
  ({ operationId, method, path, parameters = [], requestBody, responses }) => {
    test('is sent by its method, path, key and media types', async () => {
      const mediaType = Object.keys((responses[200] ?? responses[201] ?? responses[202])!.content)[0]!
      api.answer({ status: 200, json: {}, headers: { 'content-type': mediaType } })
      await CALLS[operationId as OperationId](trilho)
      const [request] = api.requests
      const pattern = `^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[\\w%.-]+')}$`
      expect(request).toMatchObject({ method, url: expect.stringMatching(new RegExp(pattern)) })
      const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
      expect(typeof request!.headers['idempotency-key']).toBe(isKeyed ? 'string' : 'undefined')
      expect(request!.headers.accept).toContain(mediaType)
      const sentType = request!.headers['content-type']?.split(';')[0]
      // The first one: a table of CSV is for spreadsheets.
      if (sentType) expect(Object.keys(requestBody!.content)[0]).toBe(sentType)
      expect(request!.headers['user-agent']).toBe(`trilho-sdk-typescript/${VERSION}`)
    })
  },
)

test('several values of a filter, dates and blanks are written into the query', async () => {
  api.answer({ status: 200, json: { data: [], meta: {} } })
  await trilho.payments.list({ status: ['PAID', 'REFUNDED'], external_ref: 'a+b & c', date_from: undefined })
  await trilho.payments.list({ status: 'PAID', per_page: 5 })
  const queries = api.requests.map(({ url }) => Object.fromEntries(new URL(url, api.url).searchParams))
  expect(queries).toEqual([
    { status: 'PAID,REFUNDED', external_ref: 'a+b & c' },
    { status: 'PAID', per_page: '5' },
  ])
})

test('a receipt as a PDF is bytes, in the language of the query', async () => {
  api.answer({ status: 200, json: {}, headers: { 'content-type': 'application/pdf' } })
  const pdf = await trilho.transfers.getReceiptPdf(UUID, { language: 'en' })
  expect([ArrayBuffer.isView(pdf), new TextDecoder().decode(pdf)]).toEqual([true, '{}'])
  expect(api.requests[0]!.url).toBe(`/api/v1/transfers/${UUID}/receipt.pdf?language=en`)
})

test('a refund whose value is undefined is not sent: JSON would omit it, and everything would be refunded', async () => {
  const body: { value?: number } = {}
  Reflect.set(body, 'value', undefined)
  api.answer({ status: 200, json: { data: {} } })
  await expect(trilho.payments.refund(UUID, body)).rejects.toThrow(TypeError)
  expect(api.requests).toEqual([])
})

test('a PIX key is one segment of the path; no id leads to another resource', async () => {
  api.answer({ status: 200, json: {} })
  await trilho.pixKeys.get('a/b?c@example.com')
  expect(api.requests[0]!.url).toBe('/api/v1/pix-keys/a%2Fb%3Fc%40example.com')
  for (const id of ['', '.', '..']) await expect(trilho.payments.get(id)).rejects.toThrow(/must be the id/)
  expect(api.requests).toHaveLength(1)
})

test('the reply to a dispute is a form, with its files by number', async () => {
  api.answer({ status: 200, json: { data: {} } })
  await CALLS.replyToMed(trilho)
  const { body } = api.requests[0]!
  expect(body).toMatch(/name="accept"\r\n\r\nfalse\r\n/)
  expect(body).toMatch(
    /name="attachments\[0\]\[file\]"; filename="proof.pdf"\r\nContent-Type: application\/pdf/,
  )
})

describe('an iterator', () => {
  const read = async (list: AsyncIterable<unknown>) => {
    const items = []
    for await (const item of list) items.push(item)
    return items
  }
  const page = (next_cursor: string | null, ...data: number[]) => ({
    status: 200,
    json: { data, meta: { per_page: 100, next_cursor } },
  })

  test('reads page after page, with the filters on each', async () => {
    api.answer(page('second', 1, 2), page('third', 3), page(null, 4))
    expect(await read(trilho.webhooks.listAllDeliveries(UUID, { status: 'DELIVERED' }))).toEqual([1, 2, 3, 4])
    expect(api.requests.map(({ url }) => new URL(url, api.url).searchParams.get('cursor'))).toEqual([
      '',
      'second',
      'third',
    ])
    for (const { url } of api.requests) expect(url).toContain('status=DELIVERED')
  })

  test('reads no further than it is consumed, and ends where the list does', async () => {
    api.answer(page('second', 1, 2))
    for await (const item of trilho.providers.listAll()) if (Number(item) === 2) break
    expect(api.requests).toHaveLength(1)
    api.answer(page(null))
    expect(await read(trilho.pixKeys.listAll())).toEqual([])
  })
})

test('a page is read by its number, or by cursor', async () => {
  api.answer({ status: 200, json: { data: [], meta: { per_page: 2, next_cursor: 'second' } } })
  const { meta } = await trilho.payments.list({ cursor: '', per_page: 2 })
  const next = await trilho.payments.list({ cursor: meta.next_cursor ?? '', status: 'PAID' })
  expect(next.meta satisfies { next_cursor: string | null }).toMatchObject({ per_page: 2 })
  await trilho.payments.listRefunds(UUID, { cursor: 'third' })
  const numbered = await trilho.webhooks.listDeliveries(UUID, { page: 2 })
  expect(numbered.meta satisfies { total: number }).toBeDefined()
  expect(api.requests.map(({ url }) => url.split('?')[1])).toEqual([
    'cursor=&per_page=2',
    'cursor=second&status=PAID',
    'cursor=third',
    'page=2',
  ])
})

test('the version is that of the project and of the API', async () => {
  const { version } = await readJson('package.json')
  expect(VERSION).toBe(version)
  expect((await readJson('sdk/typescript/package.json')).version).toBe(version)
})
