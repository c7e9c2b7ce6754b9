import type { AnyRoute } from '../http/route-definition.ts'
import type { JsonSchema } from './components.ts'

/** Samples of a request in curl, TypeScript and Python, which the API reference shows (`x-codeSamples`). */

type CodeSample = { lang: string; label: string; source: string }

/** Builds the samples of an operation. One without a method in the SDKs has curl only. */
export function buildCodeSamples(route: AnyRoute, operation: JsonSchema): CodeSample[] {
  const parameters = (operation.parameters ?? []) as SampledParameter[]
  const find = (place: string) => parameters.filter(one => one.in === place)
  const request: SampledRequest = {
    pathValues: find('path').map(({ name, example }) => String(example ?? name)),
    query: QUERIES[route.operationId ?? ''] ?? {},
    body: readBodyExample(operation),
    idempotencyKey: find('header').find(({ name }) => name === 'Idempotency-Key')?.example as
      | string
      | undefined,
    isForm: route.bodyAs === 'multipart',
    takesBody: route.body !== undefined,
  }
  const call = SDK_CALLS[route.operationId ?? '']
  return [
    { lang: 'Shell', label: 'curl', source: buildCurlSample(route, request) },
    ...(call
      ? [
          { lang: 'TypeScript', label: 'TypeScript', source: buildTypeScriptSample(request, call) },
          { lang: 'Python', label: 'Python', source: buildPythonSample(request, call) },
        ]
      : []),
  ]
}

type SampledParameter = { in: string; name: string; example?: unknown }

const DAY = { date_from: '2026-11-21', date_to: '2026-11-21', time_zone: 'America/Sao_Paulo' }

/** Queries of lists, as a client would filter them. */
const QUERIES: Record<string, Record<string, unknown>> = {
  listPayments: { status: 'PAID', per_page: 20 },
  listTransfers: { status: 'PAID', per_page: 20 },
  listMeds: { status: 'PENDING' },
  listEvents: { type: 'PAYMENT' },
  listBanks: { search: 'nu pagamentos' },
  listLedgerLines: DAY,
  getLedgerBalances: DAY,
  exportLedgerCsv: { ...DAY, decimal: 'COMMA' },
  exportLedgerOfx: DAY,
}

/** A form has no example in its schema: its files are no JSON. */
const FORMS: Record<string, Record<string, unknown>> = {
  replyToMed: { accept: false, analysis: 'Delivered on 20 November, signed by the payer.' },
  contestMed: { analysis: 'Delivered on 20 November, signed by the payer.' },
}

function readBodyExample({ operationId, requestBody }: JsonSchema): Record<string, unknown> {
  const { content = {} } = (requestBody ?? {}) as {
    content?: Record<string, { example?: Record<string, unknown> }>
  }
  return FORMS[`${operationId}`] ?? content['application/json']?.example ?? {}
}

function buildCurlSample({ method, path, tokens, responses }: AnyRoute, request: SampledRequest): string {
  const { pathValues, query, body, idempotencyKey, isForm } = request
  const values = pathValues.values()
  const filledPath = path.replaceAll(/:\w+/g, () => encodeURIComponent(values.next().value ?? ''))
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const hasBody = Object.keys(body).length > 0
  // With a body, or a form, curl sends a POST by itself.
  const isImplied = method === 'get' || (method === 'post' && hasBody)
  return [
    `curl ${isImplied ? '' : `-X ${method.toUpperCase()} `}"$TRILHO_BASE_URL${filledPath}${search && `?${search}`}"`,
    ...(tokens === 'none' ? [] : ['-H "Authorization: Bearer $TRILHO_TOKEN"']),
    ...(idempotencyKey ? [`-H 'Idempotency-Key: ${idempotencyKey}'`] : []),
    ...(isForm
      ? [...listFormFields(body), "-F 'attachments[0][file]=@receipt.pdf;type=application/pdf'"]
      : []),
    ...(hasBody && !isForm
      ? ["-H 'Content-Type: application/json'", `-d ${quoteForShell(JSON.stringify(body, null, 2))}`]
      : []),
    ...(responses[200] === 'image/png' ? ['-o qr.png'] : []),
    ...(responses[200] === 'application/pdf' ? ['-o receipt.pdf'] : []),
    ...(responses[200] === 'application/octet-stream' ? ['-OJ'] : []),
  ].join(' \\\n  ')
}

function listFormFields(body: Record<string, unknown>): string[] {
  return Object.entries(body).map(([name, value]) => `-F ${quoteForShell(`${name}=${value}`)}`)
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The method of the SDKs for each operation; Python writes it in snake case. */
export const SDK_CALLS: Record<string, string> = {
  createPayment: 'payments.create',
  listPayments: 'payments.list',
  getPayment: 'payments.get',
  getPaymentQrSvg: 'payments.getQrSvg',
  getPaymentQrPng: 'payments.getQrPng',
  revisePayment: 'payments.revise',
  retryPayment: 'payments.retry',
  cancelPayment: 'payments.cancel',
  refundPayment: 'payments.refund',
  listPaymentRefunds: 'payments.listRefunds',
  getPaymentRefund: 'payments.getRefund',
  getPaymentReceipt: 'payments.getReceipt',
  getPaymentReceiptPdf: 'payments.getReceiptPdf',
  getPaymentRefundReceipt: 'payments.getRefundReceipt',
  getPaymentRefundReceiptPdf: 'payments.getRefundReceiptPdf',
  checkReceipt: 'receipts.check',
  listRefunds: 'refunds.list',
  createQrCode: 'qrCodes.create',
  listQrCodes: 'qrCodes.list',
  getQrCode: 'qrCodes.get',
  getQrCodeQrSvg: 'qrCodes.getQrSvg',
  getQrCodeQrPng: 'qrCodes.getQrPng',
  listQrCodePayments: 'qrCodes.listPayments',
  disableQrCode: 'qrCodes.disable',
  readQrCode: 'qrCodes.read',
  getCodeReading: 'qrCodes.getReading',
  createPaymentLink: 'paymentLinks.create',
  listPaymentLinks: 'paymentLinks.list',
  getPaymentLink: 'paymentLinks.get',
  revokePaymentLink: 'paymentLinks.revoke',
  createRecurrence: 'recurrences.create',
  listRecurrences: 'recurrences.list',
  getRecurrence: 'recurrences.get',
  getRecurrenceQrSvg: 'recurrences.getQrSvg',
  getRecurrenceQrPng: 'recurrences.getQrPng',
  cancelRecurrence: 'recurrences.cancel',
  chargeRecurrence: 'recurrences.charge',
  getDeposit: 'deposits.get',
  returnDeposit: 'deposits.returnToPayer',
  assignDeposit: 'deposits.assign',
  listMeds: 'meds.list',
  getMed: 'meds.get',
  getMedEvidencePdf: 'meds.getEvidencePdf',
  requestMed: 'meds.request',
  cancelMed: 'meds.cancel',
  replyToMed: 'meds.reply',
  contestMed: 'meds.contest',
  createTransfer: 'transfers.create',
  createAccountTransfer: 'transfers.createToAccount',
  createCodeTransfer: 'transfers.payCode',
  listTransfers: 'transfers.list',
  getTransfer: 'transfers.get',
  cancelTransfer: 'transfers.cancel',
  getTransferReceipt: 'transfers.getReceipt',
  getTransferReceiptPdf: 'transfers.getReceiptPdf',
  listBanks: 'banks.list',
  approveTransfer: 'transfers.approve',
  rejectTransfer: 'transfers.reject',
  createTransferBatch: 'transferBatches.create',
  listTransferBatches: 'transferBatches.list',
  getTransferBatch: 'transferBatches.get',
  listTransferBatchItems: 'transferBatches.listItems',
  approveTransferBatch: 'transferBatches.approve',
  rejectTransferBatch: 'transferBatches.reject',
  cancelTransferBatch: 'transferBatches.cancel',
  createPixKeyAuthCode: 'pixKeys.requestAuthCode',
  createPixKey: 'pixKeys.create',
  listPixKeys: 'pixKeys.list',
  getPixKey: 'pixKeys.get',
  deletePixKey: 'pixKeys.delete',
  getLimits: 'limits.get',
  replaceLimits: 'limits.replace',
  rotateCalloutToken: 'limits.rotateCalloutToken',
  getLimitUsage: 'limits.getUsage',
  lookUpPixKey: 'pixKeys.lookUp',
  getPixKeyLookup: 'pixKeys.getLookup',
  listProviders: 'providers.list',
  getProvider: 'providers.get',
  getDefaultProviders: 'providers.getDefaults',
  replaceDefaultProviders: 'providers.replaceDefaults',
  createWebhook: 'webhooks.create',
  listWebhooks: 'webhooks.list',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  deleteWebhook: 'webhooks.delete',
  rotateWebhookToken: 'webhooks.rotateToken',
  testWebhook: 'webhooks.test',
  listWebhookDeliveries: 'webhooks.listDeliveries',
  resendWebhookDelivery: 'webhooks.resendDelivery',
  recoverWebhook: 'webhooks.recover',
  listEvents: 'events.list',
  getEvent: 'events.get',
  listLedgerLines: 'ledger.list',
  getLedgerBalances: 'ledger.getBalances',
  exportLedgerCsv: 'ledger.exportCsv',
  exportLedgerOfx: 'ledger.exportOfx',
  createReport: 'reports.create',
  listReports: 'reports.list',
  getReport: 'reports.get',
  downloadReport: 'reports.download',
  getReportSchedules: 'reports.getSchedules',
  replaceReportSchedules: 'reports.replaceSchedules',
  deleteReport: 'reports.delete',
  listReconciliations: 'reconciliations.list',
  getReconciliation: 'reconciliations.get',
  listReconciliationDifferences: 'reconciliations.listDifferences',
  getLiveness: 'health.getLiveness',
  getReadiness: 'health.getReadiness',
}

/** A request as its samples show it, made of the examples of the operation. */
type SampledRequest = {
  /** Values of the path, in its order. */
  pathValues: string[]
  query: Record<string, unknown>
  body: Record<string, unknown>
  /** Absent where the operation accepts none. */
  idempotencyKey: string | undefined
  /** The body is a form with a file. */
  isForm: boolean
  /** The operation accepts a body, which its method takes before the options. */
  takesBody: boolean
}

const MAX_LINE_CHARS = 72

/** Builds a program of the TypeScript SDK; `call` is its resource and method, `payments.create`. */
function buildTypeScriptSample(
  { pathValues, query, body, idempotencyKey, isForm, takesBody }: SampledRequest,
  call: string,
): string {
  const file = "{ file: new Blob([await readFile('receipt.pdf')]), name: 'receipt.pdf' }"
  const values = [
    ...pathValues.map(writeTypeScript),
    ...(isEmpty(body) ? [] : [writeObject(body, isForm ? [`attachments: [${file}]`] : [])]),
    ...(isEmpty(query) ? [] : [writeObject(query)]),
    // The options come last: what is left out before them is undefined.
    ...(idempotencyKey && takesBody && isEmpty(body) ? ['undefined'] : []),
    ...(idempotencyKey ? [writeObject({ idempotencyKey })] : []),
  ]
  return [
    ...(isForm ? ["import { readFile } from 'node:fs/promises'"] : []),
    "import { Trilho } from '@trilho/sdk'",
    '',
    "const trilho = new Trilho({ baseUrl: 'https://pix.example.com', token: 'trl_test_…' })",
    `const result = await trilho.${call}(${joinArguments(values, '  ')})`,
  ].join('\n')
}

function writeTypeScript(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(writeTypeScript).join(', ')}]`
  return typeof value === 'object' && value !== null ? writeObject(value) : String(value)
}

/** Writes an object on one line, or with a line for each field where it would be too long. */
function writeObject(value: object, extraFields: string[] = []): string {
  const fields = [
    ...Object.entries(value).map(([name, inner]) => `${name}: ${writeTypeScript(inner)}`),
    ...extraFields,
  ]
  const line = `{ ${fields.join(', ')} }`
  return line.length <= MAX_LINE_CHARS
    ? line
    : `{\n${fields.map(field => `${indent(field, '  ')},\n`).join('')}}`
}

/** Builds a program of the Python SDK, whose methods are those of the TypeScript SDK in snake case. */
function buildPythonSample(
  { pathValues, query, body, idempotencyKey, isForm }: SampledRequest,
  call: string,
): string {
  const named = { ...body, ...query, ...(idempotencyKey && { idempotency_key: idempotencyKey }) }
  const values = [
    ...pathValues.map(writePython),
    ...Object.entries(named).map(([name, value]) => `${name}=${writePython(value)}`),
    ...(isForm ? ['attachments=[Path("receipt.pdf")]'] : []),
  ]
  const method = call.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return [
    ...(isForm ? ['from pathlib import Path', ''] : []),
    'from trilho import Trilho',
    '',
    'trilho = Trilho("trl_test_…", base_url="https://pix.example.com")',
    `result = trilho.${method}(${joinArguments(values, '    ')})`,
  ].join('\n')
}

function writePython(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null) return 'None'
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${writePython(inner)}`,
  )
  return `{${fields.join(', ')}}`
}

/** Writes arguments on one line, or one a line where they would be too long. */
function joinArguments(values: string[], indentation: string): string {
  const line = values.join(', ')
  if (values.length === 1 || (line.length <= MAX_LINE_CHARS && !line.includes('\n'))) return line
  return `\n${values.map(value => `${indent(value, indentation)},\n`).join('')}`
}

function indent(text: string, indentation: string): string {
  return indentation + text.replaceAll('\n', `\n${indentation}`)
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
