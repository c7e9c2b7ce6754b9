import type { AnyRoute } from '../http/route-definition.ts'
import type { JsonSchema } from './components.ts'
import { buildPythonSample, buildTypeScriptSample, type SampledRequest } from './sdk-samples.ts'

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
  listLedgerLines: DAY,
  getLedgerBalances: DAY,
  exportLedgerCsv: { ...DAY, decimal: 'COMMA' },
  exportLedgerOfx: DAY,
}

/** A form has no example in its schema: its files are no JSON. */
const REPLY = { accept: false, analysis: 'Delivered on 20 November, signed by the payer.' }

function readBodyExample({ requestBody }: JsonSchema): Record<string, unknown> {
  const { content = {} } = (requestBody ?? {}) as {
    content?: Record<string, { example?: Record<string, unknown> }>
  }
  return content['multipart/form-data'] ? REPLY : (content['application/json']?.example ?? {})
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
  ].join(' \\\n  ')
}

function listFormFields(body: Record<string, unknown>): string[] {
  return Object.entries(body).map(([name, value]) => `-F ${quoteForShell(`${name}=${value}`)}`)
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The method of the SDKs for each operation; Python writes it in snake case. */
const SDK_CALLS: Record<string, string> = {
  createPayment: 'payments.create',
  listPayments: 'payments.list',
  getPayment: 'payments.get',
  getPaymentQrSvg: 'payments.getQrSvg',
  getPaymentQrPng: 'payments.getQrPng',
  cancelPayment: 'payments.cancel',
  refundPayment: 'payments.refund',
  listPaymentRefunds: 'payments.listRefunds',
  getPaymentRefund: 'payments.getRefund',
  listRefunds: 'refunds.list',
  getDeposit: 'deposits.get',
  returnDeposit: 'deposits.returnToPayer',
  listMeds: 'meds.list',
  getMed: 'meds.get',
  replyToMed: 'meds.reply',
  createTransfer: 'transfers.create',
  listTransfers: 'transfers.list',
  getTransfer: 'transfers.get',
  cancelTransfer: 'transfers.cancel',
  createPixKeyAuthCode: 'pixKeys.requestAuthCode',
  createPixKey: 'pixKeys.create',
  listPixKeys: 'pixKeys.list',
  getPixKey: 'pixKeys.get',
  deletePixKey: 'pixKeys.delete',
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
  getLiveness: 'health.getLiveness',
  getReadiness: 'health.getReadiness',
}
